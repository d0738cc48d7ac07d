"""Break a seeded sample of lines, one at a time, and say which of them the tests notice.

Run: `python -m bench.mutants [--list] [--map | --keep-map] [PATH …]`; a PATH below src/venire draws from there only.
The environment says the rest: `VENIRE_SEED`, `VENIRE_MUTANTS` (how many), `VENIRE_PROCESSES`. The files of tests that
are nearest to a changed module by imports are run. With `--map` it is measured first which tests run which line, unless
`.mutants` has it for these sources: all tests run once, slowed down, which pays for many hundred changes only.
`--keep-map` uses an older map.
"""

from __future__ import annotations

import argparse
import difflib
import math
import os
import queue
import random
import subprocess
import sys
import time
import tomllib
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path

from bench.mutants.import_map import ImportMap
from bench.mutants.line_map import LineMap, measure
from bench.mutants.mutations import Mutation
from bench.mutants.sampling import PACKAGE, draw_sample, package_of
from bench.mutants.trial import Copy, Tests, Trial
from venire.stats import wilson_interval

ROOT = Path(__file__).parents[2]
MAP = ROOT / ".mutants"
NICENESS = 10
LIMIT_SECONDS = 60.0
"""So long may the tests of one change take together, as measured; those left out are the slowest."""


def main() -> None:
    """Draw, measure, try, tell."""
    options = _options()
    seed, count, processes = (int(os.environ.get(f"VENIRE_{name}", usual)) for name, usual in _NUMBERS.items())
    os.nice(max(0, NICENESS - os.nice(0)))
    sample = draw_sample(ROOT, count, seed, options.paths)
    if options.list:
        print("\n".join(f"{each.kind}: {_shown(each)}" for each in sample))
        return
    commit, known = _commit(), _equivalents()
    equivalent = {_shown(each): reason for each in sample if (reason := _reason(each, known))}
    sample = [each for each in sample if not _reason(each, known)]
    random.Random(seed).shuffle(sample)  # What the time allows is a sample of all.
    copies = [Copy(ROOT) for _ in range(processes)]
    try:
        tests = _tests(copies[0], processes, options)
        trials = _try_all(sample, copies, tests, time.monotonic() + 60 * options.minutes)
    finally:
        for copy in copies:
            copy.remove()
    found_by = f"the lines that {len(tests.seconds)} tests run" if options.map or options.keep_map else "imports"
    print(f"seed {seed}, {commit}: {len(trials)} of {len(sample)} mutants tried, tests found by {found_by}\n")
    _tell_shares(trials)
    _tell_survivors([trial for trial in trials if trial.noticed_by is None])
    print(f"\n{len(equivalent)} known to be equivalent, not counted:")
    for shown, reason in equivalent.items():
        print(f"{shown}: {reason}")


_NUMBERS = {"SEED": "1", "MUTANTS": "200", "PROCESSES": "2"}


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench.mutants", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("paths", nargs="*", help="folders or files below src/venire")
    parser.add_argument("--minutes", type=float, default=math.inf, help="begin no trial after so many minutes")
    parser.add_argument("--list", action="store_true", help="show what would be changed")
    parser.add_argument("--map", action="store_true", help="find tests by lines, measured with all tests first")
    parser.add_argument(
        "--keep-map", action="store_true", help="find tests by the map that there is, though sources changed"
    )
    return parser.parse_args()


def _tests(copy: Copy, processes: int, options: argparse.Namespace) -> Tests:
    if not (options.map or options.keep_map):
        return ImportMap(copy.tree)
    if (MAP / "digests.json").exists():
        line_map = LineMap(MAP, copy.tree)
        if options.keep_map or line_map.is_current:
            return line_map
    measure(copy.tree, MAP, [], processes)
    return LineMap(MAP, copy.tree)


def _try_all(sample: Sequence[Mutation], copies: Sequence[Copy], tests: Tests, end: float) -> list[Trial]:
    """Try all changes; again without the tests that fail on the unchanged source too, until there are none."""
    trials: dict[Mutation, Trial] = {}
    left, unsound = list(sample), set()
    while left:
        tried = _try_each(left, copies, tests, unsound, end)
        trials |= {trial.mutation: trial for trial in tried}
        noticing = sorted({trial.noticed_by for trial in tried if trial.noticed_by})
        failing = copies[0].failing([name for name in noticing if name.startswith(("src/", "tests/"))], tests)
        left = [trial.mutation for trial in tried if trial.noticed_by in failing]
        unsound |= failing
        end = math.inf
    return list(trials.values())


def _try_each(
    sample: Sequence[Mutation], copies: Sequence[Copy], tests: Tests, without: set[str], end: float
) -> list[Trial]:
    free: queue.SimpleQueue[Copy] = queue.SimpleQueue()
    for copy in copies:
        free.put(copy)

    def try_one(mutation: Mutation) -> Trial | None:
        if time.monotonic() > end:
            return None
        shown, copy = _shown(mutation), free.get()
        try:
            trial = copy.try_out(mutation, tests, LIMIT_SECONDS, sorted(without))
        finally:
            free.put(copy)
        print(f"{shown}: {trial.noticed_by or f'NOT NOTICED by {trial.tests} tests'}", file=sys.stderr, flush=True)
        return trial

    with ThreadPoolExecutor(len(copies)) as pool:
        return [trial for trial in pool.map(try_one, sample) if trial]


def _tell_shares(trials: Iterable[Trial]) -> None:
    by_package: defaultdict[str, list[bool]] = defaultdict(list)
    for trial in trials:
        seen = trial.noticed_by is not None
        by_package[package_of(Path(trial.mutation.file).relative_to(PACKAGE))].append(seen)
        by_package["all"].append(seen)
    print("| package | mutants | noticed | share | 95 % interval (Wilson) |\n|---|---|---|---|---|")
    for package in sorted(by_package, key=lambda name: (name == "all", name)):
        seen = by_package[package]
        interval = wilson_interval(sum(seen), len(seen))
        share = f"{sum(seen) / len(seen):.1%} | {interval.low:.1%} to {interval.high:.1%}"
        print(f"| {package} | {len(seen)} | {sum(seen)} | {share} |")


def _tell_survivors(survivors: Iterable[Trial]) -> None:
    print("\nNot noticed:")
    for trial in sorted(survivors, key=lambda trial: (trial.mutation.file, trial.mutation.start)):
        source = _source(trial.mutation.file)
        before, after = source.decode().splitlines(), trial.mutation.apply(source).decode().splitlines()
        print(
            "\n".join(
                difflib.unified_diff(before, after, trial.mutation.file, f"{trial.tests} tests", n=2, lineterm="")
            )
        )


def _equivalents() -> dict[tuple[str, str, str], str]:
    """Read which changes change no behaviour, with the reason; where nothing is said of the change, all of a line."""
    listed = tomllib.loads((Path(__file__).parent / "equivalents.toml").read_text())["equivalent"]
    return {(each["file"], each["line"], each.get("becomes", "")): each["reason"] for each in listed}


def _reason(mutation: Mutation, known: Mapping[tuple[str, str, str], str]) -> str:
    """Say why a change changes no behaviour; empty if it does."""
    file, before, after = _key(mutation)
    return known.get((file, before, after)) or known.get((file, before, ""), "")


def _key(mutation: Mutation) -> tuple[str, str, str]:
    return mutation.file, *mutation.texts(_source(mutation.file))


def _shown(mutation: Mutation) -> str:
    _, before, after = _key(mutation)
    return f"{mutation.file}:{mutation.line} {before} → {after}"


@cache
def _source(file: str) -> bytes:
    """Read a file once, so that it may be worked on meanwhile."""
    return (ROOT / file).read_bytes()


def _commit() -> str:
    shown = subprocess.run(
        ["git", "describe", "--always", "--dirty"], cwd=ROOT, capture_output=True, check=True, text=True
    )
    return shown.stdout.strip()


if __name__ == "__main__":
    main()
