"""What every contract is: a closed, immutable document, and the hash of a value."""

import hashlib
import json
from pathlib import Path
from typing import Self

from pydantic import BaseModel, ConfigDict, ValidationError

from reclife.errors import ArtifactError


def digest(value: object) -> str:
    """Return the sha256 of a JSON-serialisable value, independent of key order."""
    text = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()


class Contract(BaseModel):
    """A closed, immutable document exchanged between stages as JSON."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    @classmethod
    def read(cls, path: Path) -> Self:
        """Read and check the document at `path`.

        Raises:
            ArtifactError: It is no such document, or was cut short.
        """
        try:
            return cls.model_validate_json(path.read_bytes())
        except ValidationError as error:
            problem = error.errors()[0]
            where = ".".join(map(str, problem["loc"]))
            raise ArtifactError(
                f"{path} is damaged, or not a {cls.__name__} of this version "
                f"({': '.join(filter(None, (where, problem['msg'])))}): delete it, then run what "
                "writes it again."
            ) from error
