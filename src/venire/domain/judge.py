"""Who judges: the identity of a judge, and whether it judges itself."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

import msgspec

_MODELS_OF_VENDOR = {
    "alibaba": ("qwen", "qwq"),
    "anthropic": ("claude",),
    "baidu": ("ernie",),
    "bytedance": ("doubao",),
    "glm": ("chatglm",),
    "google": ("gemini", "gemma"),
    "meta": ("llama",),
    "minimax": ("abab",),
    "mistral": ("codestral", "ministral", "mixtral"),
    "moonshot": ("kimi",),
    "openai": ("gpt", "chatgpt", "o1", "o3", "o4"),
    "xai": ("grok",),
    "zhipu": ("glm", "chatglm"),
}
"""How the names of models begin that do not begin with their vendor's name."""

_LONGEST_NAME = 1_000


class JudgeIdentity(msgspec.Struct, frozen=True):
    """The name under which a judge's replies are filed."""

    name: str
    """What the judge is called on its panel or in its artifact's file name."""
    model: str = ""
    """The model behind the judge; empty for people and rules."""
    aliases: tuple[str, ...] = ()
    """Other names of the same model, for telling whether it judges itself."""
    family: str = ""
    """The vendor or family of the model; all of its models are kin. Empty where kinship is not to count."""

    def is_judging_itself(self, target_model: str) -> bool:
        """Tell whether this judge and the target are the same model, aliases counted, or of one family.

        Spelling does not count: case, blanks, hyphens, underscores and dots are ignored.

        >>> JudgeIdentity("glm", model="GLM-4.7").is_judging_itself("glm 4.7")
        True
        >>> JudgeIdentity("glm", model="GLM-4.7").is_judging_itself("")
        False
        >>> JudgeIdentity("second", model="gpt-5", family="openai").is_judging_itself("openai/o3-mini")
        True
        """
        target = fold_name(target_model)
        if not target:
            return False
        same = {fold_name(name) for name in (self.name, self.model, *self.aliases)}
        return target in same or belongs_to(target_model, self.family)


def other_names(model: str, pairs: Iterable[tuple[str, str]]) -> tuple[str, ...]:
    """Return the other names of a model, given pairs of names that mean the same model.

    >>> other_names("Alder 1", [("openai/alder-1", "alder-1"), ("birch", "birch-2")])
    ('openai/alder-1', 'alder-1')
    """
    names, known = [], {fold_name(model)}
    remaining = list(pairs)
    while touching := [pair for pair in remaining if known.intersection(map(fold_name, pair))]:
        remaining = [pair for pair in remaining if pair not in touching]
        names += [name for pair in touching for name in pair]
        known.update(map(fold_name, names))
    return tuple(names)


@lru_cache(maxsize=4096)
def belongs_to(model: str, family: str) -> bool:
    """Tell from its name whether a model is of a vendor or family.

    >>> belongs_to("deepseek-ai/DeepSeek-V3", "deepseek"), belongs_to("glm-4.7", "deepseek"), belongs_to("glm-4.7", "")
    (True, False, False)
    """
    vendor = fold_name(family)
    if not vendor:
        return False
    beginnings = (vendor, *_MODELS_OF_VENDOR.get(vendor, ()))
    return any(fold_name(part).startswith(beginnings) for part in model.split("/"))


def fold_name(name: str) -> str:
    """Reduce a model's or file's name to what identifies it: letters and digits in one case."""
    # A hostile reply may give megabytes for a name: they are not remembered.
    return _fold_name(name) if len(name) <= _LONGEST_NAME else _fold_name.__wrapped__(name)


@lru_cache(maxsize=4096)
def _fold_name(name: str) -> str:
    return re.sub(r"[\W_]+", "", name).casefold()
