"""From raw rows to canonical tables: reads, checks, sets aside."""
