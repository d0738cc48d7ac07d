"""The shape of `venire.yaml`: every key, with its default and what it means."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import msgspec

from venire.config.collect_file import CollectConfig
from venire.config.jury_file import JuryConfig
from venire.distributed.cluster import RayOptions
from venire.inputs.documents.pdf import PdfLimits
from venire.inputs.pairs import PairPlan
from venire.inputs.tables.materials import Judged
from venire.judges.panel import JudgeLimits, Price
from venire.runner.options import RunnerOptions
from venire.stats.ratings.rollup import RollupPlan


class SamplesConfig(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Where the samples are."""

    path: str = ""
    """A table, a folder of texts or PDFs, or, for bundles, a folder with one sub-folder for each target model."""
    ledger: str = ""
    """In place of a path, a ledger whose outputs are judged anew, such as one that `venire import` made."""
    columns: dict[str, str] = {}
    """For tables, which column holds which field of a sample."""
    pattern: str | None = None
    """For folders, the pattern of file names."""
    category: str = ""
    """The category of samples that do not say one themselves."""
    encoding: str = ""
    """For tables, the encoding, such as `gb18030`; without it UTF-8, or what a byte order mark says."""
    id_from_row: bool = False
    """For tables, whether the output_id of a sample is made of the number of its row."""
    documents: str | None = None
    """For tables, the folder that holds the documents, where the table's column only names their files."""
    judged: Judged = "last"
    """For conversations, what is judged: the `last` answer, `each` answer by itself, or the `whole`."""
    source_names: dict[str, str] = {}
    """For bundles, the sub-folder that holds a target model's texts, by the model's name, where the two differ."""
    pdf_limits: PdfLimits = PdfLimits()
    """What the parsing of one PDF may cost; a file that needs more is a problem, and the others are read."""


class VoirDireConfig(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How judges are examined before they count."""

    battery: str = "standard"
    """The battery of probes: `standard`, or the path of a file of your own."""
    samples: Literal["own", "bundled"] = "own"
    """What probes are made from: your `own` outputs, filled up with bundled ones where they are too few, or `bundled`
    ones alone."""


class CanariesConfig(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Anchors that each run judges again, so that a judge that changes is noticed."""

    path: str
    """A table of outputs that are no samples: at least 20, better 200. A column `label` holds what people scored
    overall, `label.DIMENSION` what they scored in a dimension; both may be missing."""
    share: Annotated[float, msgspec.Meta(gt=0, le=1)] = 0.05
    """How many anchors a run judges again, as a share of its tasks. Beyond that it judges each new anchor twice."""


class JudgeConfig(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One judge, in the words of the configuration file."""

    type: str
    """The kind of judge: a preset, `rules`, `local`, `replay`, or a kind that a plugin brings."""
    enabled: bool = True
    """Whether the judge sits on the panel."""
    model: str = ""
    """The model's name as its server knows it."""
    api_key_env: str | None = None
    """The environment variable that holds the key."""
    base_url: str | None = None
    """Where the server listens."""
    blind_evaluation: bool = True
    """Whether the judge is kept from knowing who wrote the output."""
    max_tokens: Annotated[int, msgspec.Meta(ge=1)] = 2048
    """The most tokens that a reply may have."""
    temperature: Annotated[float, msgspec.Meta(ge=0)] | None = 0.3
    """The sampling temperature."""
    top_p: Annotated[float, msgspec.Meta(gt=0, le=1)] | None = None
    """The nucleus sampling share."""
    seed: int | None = None
    """The server's sampling seed."""
    weight: float | None = None
    """The judge's share in the panel's score. The shares must sum to 1; if no judge states one, all are equal."""
    scale: str | None = None
    """The scale it scores on."""
    language: Literal["en", "zh"] | None = None
    """The language it is asked in."""
    family: str = ""
    """The vendor or family of its model."""
    aliases: tuple[str, ...] = ()
    """Other names of its model."""
    prompt_version: str = ""
    """A label for the version of the question."""
    mask_identity: bool = False
    """Whether names of the model are masked in the output."""
    attach_files: bool = False
    """Whether paged files are sent as documents."""
    rules: str | dict[str, Any] | None = None
    """For a rule judge, its checks, or the file that holds them."""
    options: dict[str, Any] = {}
    """Further options of the provider."""
    price: Price | None = None
    """What a million tokens cost."""
    limits: JudgeLimits | None = None
    """How hard it may be pressed; without it, a model on this machine gets one request at a time."""

    @property
    def chosen_limits(self) -> JudgeLimits:
        """The limits that hold."""
        return self.limits or JudgeLimits(concurrency=1 if self.type == "local" else 8)


class VenireConfig(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The whole configuration file."""

    samples: SamplesConfig | str = ""
    """Where the samples are; a bare path is enough. Where `collect` is given it may be left out: what was collected is
    judged then."""
    judges: dict[str, JudgeConfig] = {}
    """The judges by name."""
    collect: CollectConfig | None = None
    """What is collected from which targets."""
    protocol: str | dict[str, Any] = "drift-sample"
    """The protocol: an id, the path of a file, or a rubric in plain words: `{ask: …, score: {…}, scale: 1-5}`."""
    factors: tuple[str, ...] = ()
    """The columns of the samples that are factors of the design: part of what a sample is, and equal where outputs are
    compared; the protocol's own are always among them."""
    pairs: PairPlan | None = None
    """For protocols that compare two outputs, which pairs are judged and in which order each is shown."""
    profile: Literal["contract", "seed"] = "contract"
    """How much of the protocol's contract is asked for."""
    evidence: Literal["exact", "whitespace", "nfkc"] = "nfkc"
    """The most lenient level at which a quote counts as verbatim."""
    language: Literal["en", "zh"] | None = None
    """The language that judges are asked in unless they name another, and that commands print in. Without it
    judges are asked in the protocol's, English where it has English texts, and commands follow `VENIRE_LANG` or the
    locale."""
    ledger: str = "venire-ledger.sqlite"
    """Where everything is recorded."""
    count_recovered: bool = False
    """Whether recovered judgements count, for protocols that allow salvage."""
    weights: str | None = None
    """A file of weights that `venire weights` has learnt; they take the place of the judges' own."""
    rollup: RollupPlan | None = None
    """How the report rolls tests up to dimensions and these to one overall score."""
    voir_dire: VoirDireConfig = VoirDireConfig()
    """How `venire voir-dire` examines the judges."""
    canaries: CanariesConfig | None = None
    """Anchors that each run judges again among its samples, for protocols that judge one output at a time."""
    require: Literal["voir-dire"] | None = None
    """With `voir-dire`, judgements count only if the judge has passed its voir dire under this protocol."""
    jury: JuryConfig | None = None
    """An adaptive jury: some judges are asked about every output, others where it matters. Without it every judge is
    asked about every output."""
    runner: RunnerOptions = RunnerOptions()
    """How the run is done."""
    engine: Literal["local", "ray"] = "local"
    """Where the work is done: `local` in one process, `ray` on a Ray cluster, with a ledger in PostgreSQL."""
    ray: RayOptions = RayOptions()
    """The Ray cluster."""
