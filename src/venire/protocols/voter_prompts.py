"""Voter prompts that come with Venire: what voters are asked, in one language or in the one that each voter reads."""

from __future__ import annotations

from importlib.resources import files

from venire.domain.vote import VoterPrompt
from venire.errors import UsageError

_FILES = {
    "grand-jury": "grand-jury.en.txt",
    "grand-jury-zh": "grand-jury.zh.txt",
    "prefer": "prefer.en.txt",
    "prefer-zh": "prefer.zh.txt",
}
_IN_BOTH = {"grand-jury-en-zh": ("grand-jury", "grand-jury-zh"), "prefer-en-zh": ("prefer", "prefer-zh")}
BUNDLED_PROMPTS = (*_FILES, *_IN_BOTH)
"""The names of the bundled prompts; other words make other votes, so that each language has its own, and both too."""


def bundled_prompt(name: str, first: str = "en") -> VoterPrompt:
    """Return a voter prompt that comes with Venire. Raises `UsageError` for a name that none has.

    Of one in two languages, `first` is what voters see who read neither.

    >>> bundled_prompt("grand-jury").question
    'Would you accept this output as an answer to its task?'
    """
    if name in _IN_BOTH:
        said = dict(zip(("en", "zh"), map(_words, _IN_BOTH[name]), strict=True))
        return VoterPrompt(name, said.get(first, said["en"]), said)
    if name not in _FILES:
        raise UsageError("error.protocol.voter_prompt", name=name, known=BUNDLED_PROMPTS)
    return VoterPrompt(name, _words(name))


def _words(name: str) -> str:
    return files("venire.protocols").joinpath("bundled", _FILES[name]).read_text(encoding="utf-8").strip()
