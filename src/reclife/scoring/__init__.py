"""Scoring: every user's recommendations from a bundle and today's data, on Spark."""
