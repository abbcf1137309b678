"""Fixtures of the tests of the transforms."""

from collections.abc import Callable

import pytest
from tests.transforms.toy_world import World


@pytest.fixture
def make_world() -> Callable[..., World]:
    """Return the maker of worlds."""
    return World
