"""Compression: methods on lowered graphs, and the budget that decides which graph is shipped."""
