"""What a judge may know: opaque handles, fences around hostile text, and names of models that leak through it."""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from functools import cache, lru_cache
from importlib.resources import files
from itertools import count

import msgspec

from venire.domain.canonical import digest
from venire.domain.material import Material, MaterialKind

MASK = "■"
"""What stands for each character of a masked name, so that offsets stay the same."""

Searches = dict[str, tuple[re.Pattern[str], ...]]
"""Words, and the patterns that each of them makes worth a search in a text; a pattern may come with several."""

# Characters that no reader sees, so that they cannot hide a name from us either.
_INVISIBLE_CHARACTERS = (
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164"
    "\ufe00-\ufe0f\ufeff\uffa0\U000e0000-\U000e0fff"
)
_INVISIBLE = re.compile(f"[{_INVISIBLE_CHARACTERS}]")
# What hides a name from a plain search: these, and characters that Unicode's NFKC makes letters and digits of.
_DISGUISE = re.compile(
    f"[{_INVISIBLE_CHARACTERS}\u00aa\u00b2\u00b3\u00b9\u00ba\u00bc-\u00be\u0130-\u0149\u017f-\u02e4\u1d2c-\u1e9b\u2070-\u24ff"
    "\u2c7c\u2c7d\u3250-\u33ff\ua7f2-\ua7f9\uab69\ufb00-\ufb06\uff10-\uff19\uff21-\uff3a\uff41-\uff5a"
    "\U00010780-\U000107ba\U0001ccd6-\U0001ccf9\U0001d400-\U0001d7ff\U0001f100-\U0001fbff]"
)
_PARTS = re.compile(r"[a-z]+|[0-9]+|[^\W\d_a-z]+")
# A few signs between two parts of a name; the end of a sentence is not between them.
_BETWEEN = r"(?:(?![.!?。！？]\s)[\W_]){0,4}"
_SLOT = r"(?P<name>[^\s.,;:!?。，；：！？][^.,;:!?。，；：！？\n]{0,39}?)"


_BY_MODEL = frozenset({MaterialKind.TURN, MaterialKind.TOOL_CALL})
"""The kinds of material in which the model speaks itself."""


class Leak(msgspec.Struct, frozen=True):
    """A place where the judged text names the model that wrote it."""

    start: int
    """Where the name begins."""
    end: int
    """Where the name ends."""


def sample_handle(sample_digest: str) -> str:
    """Return the opaque name under which a blind judge knows a sample.

    >>> sample_handle("0" * 64)
    'item-8825b1edc0'
    """
    return f"item-{digest('handle', sample_digest)[:10]}"


def fence_for(seed: int, task_id: str) -> str:
    """Return the mark that fences judged text in one request.

    It depends on the text itself, through the task's id, so that no text can hold its own fence.
    """
    code = _fence_hash(seed).copy()
    code.update(task_id.encode())
    return f"===DATA-{code.hexdigest()}==="


@lru_cache(maxsize=16)
def _fence_hash(seed: int) -> hashlib.blake2b:
    return hashlib.blake2b(key=str(seed).encode()[:64], digest_size=8)


def names_of(model: str) -> tuple[str, ...]:
    """Return the names under which a model may be spoken of: in full, and without its vendor's path.

    >>> names_of("openai/gpt-4o")
    ('openai/gpt-4o', 'gpt-4o')
    """
    return tuple(dict.fromkeys((model, model.rpartition("/")[2])))


def find_leaks(text: str, names: Iterable[str], *, by_model: bool = True) -> tuple[Leak, ...]:
    """Find where an output names its model, however that is written, or introduces itself by its maker.

    Case, width and invisible characters do not matter; between the parts of a name any few blanks, dashes, dots and
    other signs may stand. Of an introduction only the words that tell the name are a leak. A text that is not
    `by_model`, such as a document, introduces nobody.

    >>> find_leaks("I am GLM 4.7.", ["glm-4.7"])
    (Leak(start=5, end=12),)
    """
    if not text:
        return ()
    is_plain = text.isascii() or not _DISGUISE.search(text)
    whole = text.lower() if is_plain else _fold(text)
    searches = _searches(tuple(names)) if by_model else _name_searches(tuple(names))
    wanted = {pattern: None for word, patterns in searches.items() if word in whole for pattern in patterns}
    if not wanted:
        return ()
    folded, places = _fold_with_places(text)
    spans = sorted(match.span("name") for pattern in wanted for match in pattern.finditer(folded))
    leaks: list[Leak] = []
    for start, end in spans:
        leak = Leak(places[start], places[end - 1] + 1)
        if leaks and leak.start < leaks[-1].end:
            leak = Leak(leaks[-1].start, max(leak.end, leaks.pop().end))
        leaks.append(leak)
    return tuple(leaks)


def mask_leaks(text: str, leaks: tuple[Leak, ...]) -> str:
    """Put a mask of the same length over each leak."""
    for leak in leaks:
        text = text[: leak.start] + MASK * (leak.end - leak.start) + text[leak.end :]
    return text


def mask_materials(
    materials: Iterable[Material], kinds: frozenset[MaterialKind], names: tuple[str, ...]
) -> tuple[tuple[Material, ...], int]:
    """Return the materials with masks over the names in the ids, roles and texts of some kinds, and how many there are.

    Most materials name nobody, which one look at all of them together shows. Ids stay different from one another.
    """
    given = tuple(materials)
    if not given:
        return given, 0
    shown = [each for each in given if each.kind in kinds]
    everything = "\n".join(words for each in shown for words in (each.id, each.role, each.text))
    if not find_leaks(everything, names, by_model=any(each.kind in _BY_MODEL for each in shown)):
        return given, 0
    leaked, masked = 0, []
    taken = {each.id for each in given}
    for each in given:
        leaks = _material_leaks(each, names) if each.kind in kinds else ((), (), ())
        leaked += sum(map(len, leaks))
        name, role, text = (
            mask_leaks(words, found) for words, found in zip((each.id, each.role, each.text), leaks, strict=True)
        )
        if leaks[0]:
            name = next(other for other in _numbered(name) if other not in taken)
            taken.add(name)
        masked.append(msgspec.structs.replace(each, id=name, role=role, text=text))
    return tuple(masked), leaked


def _material_leaks(material: Material, names: tuple[str, ...]) -> tuple[tuple[Leak, ...], ...]:
    """Return the leaks in the id, the role and the text of a material."""
    by_model = material.kind in _BY_MODEL
    labels = (find_leaks(words, names, by_model=False) for words in (material.id, material.role))
    return (*labels, find_leaks(material.text, names, by_model=by_model))


def _numbered(name: str) -> Iterator[str]:
    yield name
    yield from (f"{name}-{number}" for number in count(2))


def _fold(text: str) -> str:
    return _INVISIBLE.sub("", unicodedata.normalize("NFKC", text)).casefold()


_fold_character = lru_cache(maxsize=4096)(_fold)


def _fold_with_places(text: str) -> tuple[str, Sequence[int]]:
    """Return a text folded character by character, and for each character of the result where it comes from."""
    if text.isascii() and not _INVISIBLE.search(text):
        return text.lower(), range(len(text))
    folded: list[str] = []
    places: list[int] = []
    for place, character in enumerate(text):
        more = _fold_character(character)
        folded.append(more)
        places.extend([place] * len(more))
    return "".join(folded), places


@lru_cache(maxsize=256)
def _searches(names: tuple[str, ...]) -> Searches:
    """Return patterns with a group `name`, by words of which one must be in a text to be worth a search."""
    of_names, introductions = _name_searches(names), _introductions()
    words = {**of_names, **introductions}
    return {word: (*of_names.get(word, ()), *introductions.get(word, ())) for word in words}


@lru_cache(maxsize=256)
def _name_searches(names: tuple[str, ...]) -> Searches:
    parts = [_PARTS.findall(_fold(name)) for name in names if len(name.strip()) >= 3]
    parts = [each for each in parts if each]
    if not parts:
        return {}
    loose = sorted({_BETWEEN.join(map(re.escape, each)) for each in parts}, key=len, reverse=True)
    pattern = re.compile(rf"(?<![a-z0-9])(?P<name>{'|'.join(loose)})(?![a-z0-9])")
    return {each[0]: (pattern,) for each in parts}


@cache
def _introductions() -> Searches:
    lines = files("venire.judges").joinpath("self_introductions.txt").read_text("utf-8").splitlines()
    rows = [line.split(" => ") for line in lines if line and not line.startswith("#")]
    found: dict[str, list[re.Pattern[str]]] = {}
    for words, pattern in rows:
        for word in words.split("|"):
            found.setdefault(word, []).append(re.compile(pattern.replace("{}", _SLOT)))
    return {word: tuple(patterns) for word, patterns in found.items()}
