"""Kedro's hooks: engines are prepared, a run gets its identity, stages are committed."""

import logging
import os
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any, final

import yaml
from kedro.config import MissingConfigException
from kedro.framework.context import KedroContext
from kedro.framework.hooks import hook_impl
from kedro.io import DataCatalog, MemoryDataset
from kedro.pipeline import Pipeline
from kedro.pipeline.node import Node

from reclife.config.files import check_files, file_of
from reclife.config.problems import check_all
from reclife.config.root import check_parameters
from reclife.config.validation import read_suites
from reclife.contracts import STAGES, Stage, ValidationReport, digest
from reclife.datasets.artifact import RunArtifact
from reclife.datasets.declared import check_catalog
from reclife.datasets.read_only import ReadOnly
from reclife.lifecycle import closing_dataset, read_lifecycles, stage_pipelines
from reclife.runtime.files import write_atomically
from reclife.runtime.ledger import Ledger
from reclife.runtime.project import PROJECT_VARIABLE, project_path
from reclife.runtime.resources import packaged
from reclife.runtime.run import RUN_VARIABLE, begin_run, choose_run_id, set_current_run

_LOG = logging.getLogger(__name__)


@final
class Engines:
    """Prepares Spark and TensorFlow without starting either."""

    @hook_impl
    def after_context_created(self, context: KedroContext) -> None:
        """Declare Spark's settings and quiet the engines' own chatter."""
        from reclife.runtime.spark import declare
        from reclife.runtime.terminal import plain_unless_terminal

        plain_unless_terminal()
        os.environ[PROJECT_VARIABLE] = str(context.project_path)
        os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")
        os.environ.setdefault("TF_ENABLE_ONEDNN_OPTS", "0")  # its rounding depends on the processor
        os.environ.setdefault("GX_ANALYTICS_ENABLED", "false")
        declare(_optional(context, "spark"))


@final
class Declarations:
    """Checks all that is declared before anything runs: every problem of every file at once."""

    def __init__(self) -> None:
        self._catalog: Mapping[str, Any] = {}
        self._file_of: Callable[[str], str | None] = str
        self._suites: Mapping[str, Any] = {}

    @hook_impl(tryfirst=True)
    def after_context_created(self, context: KedroContext) -> None:
        """Check the files, then what they say."""
        from reclife.runtime.spark import check_settings
        from reclife.validation.declarations import check_stages

        conf, env = context.project_path / "conf", context.env
        check_files(conf, env, STAGES)
        parameters = context.config_loader["parameters"]
        self._suites = _suites(context)
        self._file_of = partial(file_of, conf, env, "catalog")
        check_all(
            lambda: check_parameters(parameters, conf, env),
            lambda: read_suites(self._suites),
            lambda: check_stages(self._suites),
            lambda: check_settings(_optional(context, "spark")),
            lambda: read_lifecycles(context.project_path / "pipelines"),
        )

    @hook_impl(tryfirst=True)
    def after_catalog_created(self, conf_catalog: Mapping[str, Any]) -> None:
        """Keep the entries as they were declared."""
        self._catalog = conf_catalog

    @hook_impl(tryfirst=True)
    def before_pipeline_run(self, pipeline: Pipeline, catalog: DataCatalog) -> None:
        """Make every dataset once, and look up every expectation of the stages about to run."""
        from reclife.validation.declarations import check_declarations

        running = {node.namespace for node in pipeline.nodes}
        suites = {
            name: suite
            for name, suite in read_suites(self._suites).items()
            if suite.stage in running
        }
        stages = {str(stage): pipeline for stage, pipeline in stage_pipelines().items()}
        check_catalog(catalog, self._catalog, stages, self._file_of)
        check_declarations(suites)  # imports an engine, so it comes last


@final
class Conduct:
    """Gives a run its identity, checks what is read, and commits each stage once it has closed."""

    def __init__(self) -> None:
        self._declared: Mapping[str, Any] = {}
        self._expectations: Mapping[str, Any] = {}
        self._catalog: DataCatalog | None = None
        self._ledger: Ledger | None = None
        self._given_run: str | None = None

    @hook_impl
    def after_context_created(self, context: KedroContext) -> None:
        """Keep what the run's records and the closing nodes need."""
        self._declared = context.config_loader["parameters"]
        self._expectations = _suites(context)

    @hook_impl
    def after_catalog_created(self, catalog: DataCatalog) -> None:
        """Offer the expectation suites to the closing nodes."""
        catalog["expectations"] = MemoryDataset(self._expectations, copy_mode="assign")

    @hook_impl
    def before_pipeline_run(
        self, run_params: dict[str, Any], pipeline: Pipeline, catalog: DataCatalog
    ) -> None:
        """Choose the run's id and take back the records of the stages about to run."""
        names = run_params["pipeline_names"] or ["__default__"]
        run_id = choose_run_id(names)
        self._given_run = os.environ.get(RUN_VARIABLE)
        os.environ[RUN_VARIABLE] = run_id
        if not set(names) & set(STAGES):
            begin_run(run_id, ",".join(names), run_params["env"])
        running = {node.namespace for node in pipeline.nodes}
        self._catalog = catalog
        self._ledger = Ledger(
            run_id,
            [stage for stage in STAGES if stage in running],
            {stage: digest(self._declared.get(stage)) for stage in STAGES},
        )
        _LOG.info("Run %s: %s", run_id, ", ".join(names))

    @hook_impl
    def before_dataset_loaded(self, dataset_name: str, node: Node) -> None:
        """Start the stage's clock; refuse to read from another what no record vouches for."""
        if self._catalog is not None and _starts_spark(self._catalog.get(dataset_name)):
            from reclife.runtime.spark import session

            session()
        stage = _stage_of(node)
        if self._catalog is None or self._ledger is None or stage is None:
            return
        self._ledger.enter(stage)
        source = self._catalog.get(dataset_name)
        if isinstance(source, ReadOnly):
            self._ledger.note(stage, source.lineage())
        dataset = self._artifacts().get(dataset_name)
        if dataset is None or dataset.stage == stage:
            return
        run_id = dataset.source_run
        name = dataset_name.split("@", maxsplit=1)[0]
        self._ledger.read(stage, dataset.stage, name, dataset.location_of(run_id), run_id)

    @hook_impl
    def before_node_run(self, node: Node) -> None:
        """Tell what is being done."""
        _LOG.info("%s", node.name)

    @hook_impl
    def after_dataset_saved(self, dataset_name: str, data: Any, node: Node) -> None:
        """Commit a stage once its closing node has passed."""
        stage = _stage_of(node)
        if self._ledger and stage and dataset_name == closing_dataset(stage):
            self._write_page(stage, data)
            self._commit(stage)

    @hook_impl
    def after_pipeline_run(self, run_params: dict[str, Any]) -> None:
        """Tell what a lifecycle has to show."""
        from reclife.runtime.summary import print_summary

        if self._ledger and not set(run_params["pipeline_names"] or []) & set(STAGES):
            print_summary(self._ledger.run_id)
        self._forget_run()

    @hook_impl
    def on_pipeline_error(self) -> None:
        """Let the next run of this process choose its own id."""
        self._forget_run()

    @hook_impl
    def on_node_error(self, error: Exception, node: Node) -> None:
        """Leave the report of a failed validation where the error says it is."""
        stage = _stage_of(node)
        report = getattr(error, "report", None)
        if stage and isinstance(report, ValidationReport):
            closing = self._artifacts()[closing_dataset(stage)]
            closing.save(report)
            closing.publish()
            self._write_page(stage, report)

    def _forget_run(self) -> None:
        """Leave nothing to a later run of this process."""
        from reclife.runtime.spark import forget

        forget()
        if self._given_run is None:
            os.environ.pop(RUN_VARIABLE, None)

    def _commit(self, stage: Stage) -> None:
        """Write the stage's record, then publish, then make this run the current one."""
        if self._ledger is None:
            return
        own = {name: one for name, one in self._artifacts().items() if one.stage == stage}
        outputs = {name.split("@")[0]: one.location for name, one in own.items() if one.recorded}
        record = self._ledger.close(stage, outputs)
        for one in own.values():
            one.publish()
        set_current_run(record.run_id)
        _LOG.info("Stage %s finished in %.1f s", stage, record.seconds)

    def _write_page(self, stage: Stage, report: ValidationReport) -> None:
        """Write the report as a page beside its JSON, under the run and where it is published."""
        from reclife.validation.page import render

        closing = self._artifacts()[closing_dataset(stage)]
        published = project_path() / closing.publish_to if closing.publish_to else None
        for document in filter(None, (closing.location, published)):
            write_atomically(document.with_suffix(".html"), render(report))

    def _artifacts(self) -> dict[str, RunArtifact[Any, Any]]:
        """Return the catalog's datasets that belong to a run, by name."""
        return dict(_run_artifacts(self._catalog)) if self._catalog is not None else {}


def _run_artifacts(catalog: DataCatalog) -> Iterator[tuple[str, RunArtifact[Any, Any]]]:
    for name in catalog.keys():  # noqa: SIM118 - a catalog iterates lazily over its own view
        dataset = catalog.get(name)
        if isinstance(dataset, RunArtifact):
            yield name, dataset


def _optional(context: KedroContext, kind: str) -> dict[str, Any]:
    """Return a kind of configuration that a project may leave out."""
    try:
        found: dict[str, Any] = context.config_loader[kind]
    except MissingConfigException:
        return {}
    return found


def _suites(context: KedroContext) -> dict[str, Any]:
    """Return the declared suites, dataset name -> suite."""
    return {**_packaged_suites(), **_optional(context, "expectations")}


def _packaged_suites() -> dict[str, Any]:
    """Return the package's suites, which a project's own replace one by one."""
    suites: dict[str, Any] = {}
    for file in packaged("expectations"):
        suites |= yaml.safe_load(file.read_text(encoding="utf-8"))
    return suites


def _stage_of(node: Node) -> Stage | None:
    return next((stage for stage in STAGES if stage == node.namespace), None)


def _starts_spark(dataset: object) -> bool:
    """Tell the datasets that would start Spark themselves, past the engines found here."""
    return type(dataset).__module__.startswith("kedro_datasets.spark")
