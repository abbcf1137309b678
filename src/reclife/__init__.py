"""The recommender lifecycle, declared: from raw interactions to scored recommendations."""

__version__ = "0.1.0"
