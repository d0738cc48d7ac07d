"""From a configuration to what a collection is about."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from venire.config import Settings
from venire.config.collecting import CollectSettings
from venire.domain.output import Case
from venire.errors import ConfigError
from venire.inputs.cases import read_cases
from venire.inputs.problems import OnProblem
from venire.inputs.tables.materials import MaterialTerms
from venire.runner.collecting.spec import CollectSpec
from venire.targets.design import CrossedDesign


def need_collecting(settings: Settings) -> CollectSettings:
    """Return what is collected; raises `ConfigError` if the configuration says nothing of it."""
    if settings.collecting is None:
        raise ConfigError("error.collect.nothing", where=settings.source.where(()))
    return settings.collecting


def collect_spec(settings: Settings, on_problem: OnProblem = None) -> CollectSpec:
    """Return what a collection of this configuration is about."""
    collecting = need_collecting(settings)
    crossed = CrossedDesign(collecting.design, partial(planned_cases, settings, on_problem))
    return CollectSpec(
        targets=collecting.targets,
        outputs=crossed.outputs,
        options=settings.config.runner,
        share=collecting.config.share,
        settings={
            "prompts": collecting.config.prompts,
            "factors": collecting.config.factors,
            "case_factors": settings.factors,
            "cases": collecting.cases,
            "repeats": collecting.config.repeats,
            "only": collecting.config.only,
            "forbidden": collecting.config.forbidden,
        },
    )


def planned_cases(settings: Settings, on_problem: OnProblem = None) -> Iterator[Case]:
    """Read the cases; raises `ConfigError` if there is nothing where they should be."""
    collecting = need_collecting(settings)
    cases = collecting.cases
    if not cases.path:
        yield Case("case-1")
        return
    path = settings.folder / cases.path
    if not path.exists():
        where = settings.source.where(("collect", "cases"))
        raise ConfigError("error.collect.no_cases", where=where, path=path)
    folder = None if cases.documents is None else settings.folder / cases.documents
    yield from read_cases(
        path,
        columns=cases.columns,
        pattern=cases.pattern,
        factors=settings.factors,
        encoding=cases.encoding,
        terms=MaterialTerms(folder=folder, pdf_limits=cases.pdf_limits),
        on_problem=on_problem,
    )
