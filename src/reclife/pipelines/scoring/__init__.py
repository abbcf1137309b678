"""The scoring stage."""
