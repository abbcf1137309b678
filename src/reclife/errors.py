"""Everything reclife raises on purpose.

::

    ReclifeError                 a mistake or condition the user can act on: one clear sentence
    ├── ConfigError              the declaration is wrong (all problems listed at once)
    ├── DataError                the data breaks its declared contract
    │   └── ValidationFailed     an expectation suite did not hold
    ├── ArtifactError            an artefact is missing, unvouched for, stale or damaged
    ├── EnvironmentProblem       the machine lacks something (Java, a dependency group, disk)
    ├── TrainingError            training cannot go on (non-finite loss, unusable data)
    ├── ExportError              a model cannot be lowered, or its lowered form disagrees
    └── GateFailed               a declared quality floor was not reached
"""


class ReclifeError(Exception):
    """A condition the user can act on; the command line prints its message and no traceback."""


class ConfigError(ReclifeError):
    """The declaration is wrong; the message lists every problem found."""


class DataError(ReclifeError):
    """The data breaks its declared contract; the message names file, column and row count."""


class ValidationFailed(DataError):
    """An expectation suite did not hold, or could not be evaluated in full."""


class ArtifactError(ReclifeError):
    """An artefact is missing, not vouched for by a completion record, stale or damaged."""


class EnvironmentProblem(ReclifeError):
    """The machine lacks something the run needs."""


class TrainingError(ReclifeError):
    """Training cannot go on."""


class ExportError(ReclifeError):
    """A model cannot be lowered, or its lowered form disagrees with the original."""


class GateFailed(ReclifeError):
    """A declared quality floor was not reached."""
