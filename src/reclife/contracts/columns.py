"""Reserved ids, and names of the columns of the canonical tables."""

PADDING_ID = 0
"""Id of an empty position in a list."""
OOV_ID = 1
"""Id of a value that the vocabulary does not hold."""
FIRST_ID = 2
"""Id of the first value of a vocabulary."""

USER, ITEM, TIME = "user_id", "item_id", "timestamp"
LABEL, WEIGHT, EVENT, SPLIT = "label", "weight", "event", "split"
SAMPLING_PROBABILITY = "sampling_probability"
ORDER = "order"
"""Column names of the canonical tables; time is int64 seconds since the epoch, UTC.

`order` is a column that data without times may have: a user's events, oldest first.
"""
