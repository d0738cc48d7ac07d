"""The shape of `collect:` in `venire.yaml`: what is collected from whom."""

from __future__ import annotations

from typing import Annotated, Any

import msgspec

from venire.judges.panel import JudgeLimits, Price

_Temperature = Annotated[float, msgspec.Meta(ge=0)]
_Tokens = Annotated[int, msgspec.Meta(ge=1)]
_TopP = Annotated[float, msgspec.Meta(gt=0, le=1)]


class Parameters(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """How targets are asked to decode; what is left out is left to the server. A list of values is a factor."""

    temperature: _Temperature | list[_Temperature] | None = None
    """The sampling temperature."""
    max_tokens: _Tokens | list[_Tokens] | None = None
    """The most tokens that an output may have; 2048 if nothing is said."""
    top_p: _TopP | list[_TopP] | None = None
    """The nucleus sampling share."""
    seed: int | list[int] | None = None
    """The server's sampling seed."""


class PromptConfig(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One wording of what targets are asked."""

    text: str
    """The message of the user with `{{variables}}`, or a file: one line that ends with `.md` or `.txt`."""
    system: str = ""
    """The system message, or a file likewise."""
    factors: dict[str, str] = {}
    """The factors that this wording stands for, such as `language: zh`."""


class TargetConfig(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One target, in the words of the configuration file."""

    type: str
    """The kind of target: what a judge can have, or `python`, `command`, `http`."""
    enabled: bool = True
    """Whether it is asked."""
    model: str = ""
    """The model's name as its server knows it; for other targets the model behind them, where it is known."""
    api_key_env: str | None = None
    """The environment variable that holds the key."""
    base_url: str | None = None
    """Where the server listens."""
    function: str = ""
    """For `python`, the function: `module:name`, in a module beside the configuration or an installed one."""
    command: tuple[str, ...] = ()
    """For `command`, the program and its arguments; it is run in the folder of the configuration."""
    url: str = ""
    """For `http`, the address that is posted to."""
    headers: dict[str, str] = {}
    """For `http`, further headers; `${NAME}` stands for an environment variable."""
    body: dict[str, Any] | None = None
    """For `http`, the body, in whose texts `{{prompt}}`, `{{system}}` and columns are filled in."""
    answer: str = "output"
    """For `http`, where the output stands in the answer, such as `choices.0.message.content`."""
    timeout_seconds: Annotated[float, msgspec.Meta(gt=0)] | None = None
    """The longest that one answer may take; the runner's if nothing is said."""
    version: str = ""
    """A label for the version of the target; outputs of another one are collected anew."""
    family: str = ""
    """The vendor or family of its model."""
    parameters: Parameters = Parameters()
    """Parameters of this target, before those of all."""
    options: dict[str, Any] = {}
    """Further options of the provider."""
    price: Price | None = None
    """What a million tokens cost."""
    limits: JudgeLimits | None = None
    """How hard it may be pressed."""


class CollectConfig(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What is collected: the crossing of cases, prompts, factors, parameters, repeats and targets."""

    prompts: dict[str, str | PromptConfig]
    """The wordings by name: a text with `{{variables}}`, or a file that ends with `.md` or `.txt`."""
    targets: dict[str, TargetConfig]
    """The targets by name."""
    cases: Any = None
    """The table that the variables are taken from, or a folder of texts; whatever `samples` can say. Without it the
    prompts are put once."""
    factors: dict[str, dict[str, str]] = {}
    """Further factors, each with its levels by name; a level's text stands in prompts for the factor's name."""
    parameters: Parameters = Parameters()
    """Parameters of all targets."""
    repeats: Annotated[int, msgspec.Meta(ge=1)] = 1
    """How often each target is asked the same."""
    only: tuple[dict[str, str], ...] = ()
    """Parts of the crossing, each by what its outputs have in common, such as `{variant: weak, target: bot}`; columns,
    factors, `case`, `variant` and `target` can be named. Without it, all of it is collected."""
    share: Annotated[float, msgspec.Meta(gt=0, le=1)] = 1.0
    """The share of the design that is collected, chosen by hash: the same every time."""
    forbidden: tuple[Annotated[str, msgspec.Meta(pattern=r"\S")], ...] = ()
    """Words and phrases that outputs should not use; the report counts the outputs that do. They carry no weight in
    scores, and another list asks for no output again."""
