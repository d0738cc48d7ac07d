"""Which changes are tried: so many from each package as it has lines, the same for the same seed and source."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Iterable, Mapping
from pathlib import Path

from bench.mutants.mutations import Mutation, find_mutations

PACKAGE = Path("src/venire")


def draw_sample(root: Path, count: int, seed: int, within: Iterable[str] = ()) -> list[Mutation]:
    """Draw from all packages, or from the folders and files of `within` (below src/venire); by file and line."""
    sources: dict[str, dict[str, bytes]] = defaultdict(dict)
    chosen = tuple(within)
    for path in sorted((root / PACKAGE).rglob("*.py")):
        below = path.relative_to(root / PACKAGE)
        if not chosen or below.as_posix().startswith(chosen):
            sources[package_of(below)][path.relative_to(root).as_posix()] = path.read_bytes()
    lines = {package: sum(text.count(b"\n") for text in texts.values()) for package, texts in sources.items()}
    shares = divide(count, lines)
    drawn = [each for package in sorted(sources) for each in _draw(package, sources[package], shares[package], seed)]
    return sorted(drawn, key=lambda each: (each.file, each.start, each.replacement))


def package_of(below: Path) -> str:
    """Give the first folder below src/venire, or `venire` for a file that is in none."""
    return below.parts[0] if len(below.parts) > 1 else "venire"


def divide(count: int, weights: Mapping[str, int]) -> dict[str, int]:
    """Divide a count by weight; what rounding leaves goes to the largest remainders (Hamilton's method).

    >>> divide(10, {"a": 50, "b": 30, "c": 21})
    {'a': 5, 'b': 3, 'c': 2}
    """
    total = sum(weights.values())
    exact = {name: count * weight / total for name, weight in weights.items()}
    shares = {name: int(share) for name, share in exact.items()}
    by_remainder = sorted(exact, key=lambda name: (shares[name] - exact[name], name))
    for name in by_remainder[: count - sum(shares.values())]:
        shares[name] += 1
    return shares


def _draw(package: str, sources: Mapping[str, bytes], count: int, seed: int) -> list[Mutation]:
    """Draw lines first, then one change of each: a line with many constants is no likelier than another."""
    by_line: dict[tuple[str, int], list[Mutation]] = defaultdict(list)
    for file, source in sources.items():
        for mutation in find_mutations(file, source):
            by_line[file, mutation.line].append(mutation)
    chance = random.Random(f"{seed} {package}")
    lines = chance.sample(sorted(by_line), min(count, len(by_line)))
    return [chance.choice(by_line[line]) for line in lines]
