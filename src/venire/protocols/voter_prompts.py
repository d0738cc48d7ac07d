"""Voter prompts that come with Venire: what voters are asked, each language under a name of its own."""

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
BUNDLED_PROMPTS = tuple(_FILES)
"""The names of the bundled prompts; other words make other votes, so that the Chinese one has its own."""


def bundled_prompt(name: str) -> VoterPrompt:
    """Return a voter prompt that comes with Venire. Raises `UsageError` for a name that none has.

    >>> bundled_prompt("grand-jury").question
    'Would you accept this output as an answer to its task?'
    """
    if name not in _FILES:
        raise UsageError("error.protocol.voter_prompt", name=name, known=BUNDLED_PROMPTS)
    text = files("venire.protocols").joinpath("bundled", _FILES[name]).read_text(encoding="utf-8")
    return VoterPrompt(name, text.strip())
