"""The schema of everything a project declares; no engine is imported here."""
