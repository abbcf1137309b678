"""Suites of expectations on what a stage wrote, their reports, and the gate they form."""
