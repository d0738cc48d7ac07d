"""Who judges: the identity of a judge, and whether it judges itself."""

from __future__ import annotations

import re
from functools import lru_cache

import msgspec


class JudgeIdentity(msgspec.Struct, frozen=True):
    """The name under which a judge's replies are filed."""

    name: str
    """What the judge is called on its panel or in its artifact's file name."""
    model: str = ""
    """The model behind the judge; empty for people and rules."""
    aliases: tuple[str, ...] = ()
    """Other names of the same model or of its family, for telling whether it judges itself."""

    def is_judging_itself(self, target_model: str) -> bool:
        """Tell whether this judge and the target are the same model, aliases counted.

        Spelling does not count: case, blanks, hyphens, underscores and dots are ignored.

        >>> JudgeIdentity("glm", model="GLM-4.7").is_judging_itself("glm 4.7")
        True
        >>> JudgeIdentity("glm", model="GLM-4.7").is_judging_itself("")
        False
        """
        target = fold_name(target_model)
        return bool(target) and target in {fold_name(name) for name in (self.name, self.model, *self.aliases)}


@lru_cache(maxsize=4096)
def fold_name(name: str) -> str:
    """Reduce a model's or file's name to what identifies it: letters and digits in one case."""
    return re.sub(r"[\W_]+", "", name).casefold()
