"""Catalog datasets of our own: artefacts of a run, embedded data, bundles, optional sources."""
