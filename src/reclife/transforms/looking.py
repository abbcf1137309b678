"""What the features with a key `user`, `item` or `user_item` share."""

from reclife.config.windows import Key
from reclife.contracts import Feature
from reclife.transforms.base import Side
from reclife.transforms.kernels.frame import Frame


def side_of(by: Key) -> Side:
    """Return whose pass computes the feature: pairs ride with their users, without a shuffle."""
    return "item" if by == "item" else "user"


def seen_by(frame: Frame, by: Key) -> Frame:
    """Return the frame whose events are those of the key."""
    return frame.pairs if by == "user_item" else frame


def numeric_of(name: str, by: Key) -> Feature:
    """Return the schema of one float32 scalar."""
    role = "context" if by == "user_item" else by
    return Feature(name=name, role=role, kind="numeric", dtype="float32")
