"""Benchmarks: `make bench [PART=run|quality|scoring] [SCALE=small|full]`."""
