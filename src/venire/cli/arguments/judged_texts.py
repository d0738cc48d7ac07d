"""How the options of a command name the judged texts, and what reading them may cost."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from venire.errors import UsageError

if TYPE_CHECKING:
    from pathlib import Path

    from venire.config import Settings
    from venire.inputs.documents.pdf import PdfLimits
    from venire.inputs.tables.materials import Judged


def source_names(options: dict[str, Any], settings: Settings | None) -> dict[str, str]:
    """Return the folders of targets by name: those of the configuration, and on top of them those of the options."""
    named = settings.samples.source_names if settings else {}
    return {**named, **_pairs(options["source_names"], "TARGET=FOLDER", "gemini=google_gemini-3-pro")}


def aliases(options: dict[str, Any], settings: Settings | None) -> tuple[tuple[str, str], ...]:
    """Return pairs of names of one model: of the configuration's judges, and of the options."""
    pairs = [
        (alias, name)
        for judge in (settings.judges if settings else ())
        for alias in judge.aliases
        for name in (judge.name, judge.model)
        if name
    ]
    return (*pairs, *_pairs(options["aliases"], "NAME=MODEL", "openai/alder-1=alder-1").items())


def columns(pairs: tuple[str, ...]) -> dict[str, str]:
    """Return which column of a table holds which field of a sample."""
    return _pairs(pairs, "FIELD=COLUMN", "text=answer")


def judged(options: dict[str, Any], settings: Settings | None = None) -> Judged:
    """Return what of a conversation was judged: as the option says, or else the configuration."""
    configured: Judged = settings.samples.judged if settings else "last"
    return options["judged"] or configured


def documents(options: dict[str, Any], settings: Settings | None = None) -> Path | None:
    """Return the folder of the documents that a table names: that of the option, or else of the configuration."""
    given: Path | None = options["documents"]
    if given is not None and not given.is_dir():
        raise UsageError("error.cli.no_documents", where=str(given))
    return given or (settings.material_terms.folder if settings else None)


def _pairs(given: tuple[str, ...], form: str, example: str) -> dict[str, str]:
    pairs = {}
    for pair in given:
        left, equals, right = pair.partition("=")
        if not equals or not left or not right:
            raise UsageError("error.cli.pair", form=form, example=example, found=pair)
        pairs[left] = right
    return pairs


def pdf_limits(options: dict[str, Any], settings: Settings | None = None) -> PdfLimits:
    """Return what a PDF may cost: by the configuration, and on top of it by the options."""
    import msgspec

    from venire.inputs.documents.pdf import PdfLimits

    configured = msgspec.structs.asdict(settings.samples.pdf_limits) if settings else {}
    given = {name: number for name, _, number in (pair.partition("=") for pair in options["pdf_limits"])}
    try:
        return msgspec.convert({**configured, **given}, PdfLimits, strict=False)
    except msgspec.ValidationError as error:
        raise UsageError("error.cli.pdf_limit", names=PdfLimits.__struct_fields__, problem=str(error)) from None
