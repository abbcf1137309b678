"""From a user's own files to an environment that runs: `reclife init`."""

from reclife.onboarding.proposal import Request, propose
from reclife.onboarding.table import print_guesses
from reclife.onboarding.write import write

__all__ = ["Request", "print_guesses", "propose", "write"]
