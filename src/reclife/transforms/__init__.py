"""From raw rows to features: parsing, splits, as-of kernels, sequences, negatives.

Numpy kernels over Arrow tables do the work; `requests` runs them in this process, `spark` the same
ones over partitions. Modules that need Spark are imported by stages at call time only.
"""
