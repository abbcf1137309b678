"""The compression stage."""
