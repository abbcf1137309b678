"""reclife: the recommender lifecycle, declared, from raw interaction logs to scored recommendations."""

__version__ = "0.1.0"
