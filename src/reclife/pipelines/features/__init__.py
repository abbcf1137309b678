"""Canonical tables become training, validation and test examples with their specification."""
