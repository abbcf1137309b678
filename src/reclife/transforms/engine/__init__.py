"""Fits declared features and computes them, distributed or in one process."""
