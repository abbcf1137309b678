"""Identity of the run, as node inputs."""

from typing import final

from reclife.contracts import STAGES, Origin, digest
from reclife.datasets.read_only import ReadOnly
from reclife.runtime.records import code_version, find_record
from reclife.runtime.run import current_run_id


@final
class RunId(ReadOnly[str]):
    """The id of the run in progress."""

    def load(self) -> str:
        """Return the id."""
        return current_run_id()


@final
class RunOrigin(ReadOnly[Origin]):
    """Where the run's artefacts come from, as its completion records tell."""

    def load(self) -> Origin:
        """Return code version, configuration hash and data fingerprint of the run so far."""
        run_id = current_run_id()
        records = {stage: find_record(run_id, stage) for stage in STAGES}
        ingest = records["ingest"]
        data = {name: item.sha256 for name, item in ingest.outputs.items()} if ingest else {}
        config = {stage: record.config_hash for stage, record in records.items() if record}
        return Origin(
            run_id=run_id,
            code_version=code_version(),
            config_hash=digest(config),
            data_fingerprint=digest(data),
        )
