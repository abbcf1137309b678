"""Benchmarks: `make bench [PART=run|scoring] [SCALE=small|full]`."""
