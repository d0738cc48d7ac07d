"""Break a seeded sample of lines, one at a time, and say which of them the tests notice.

Run: `python -m bench.mutants [--list] [--keep-map | --by-imports] [PATH …]`; a PATH below src/venire draws from there
only. The environment says the rest: `VENIRE_SEED`, `VENIRE_MUTANTS` (how many), `VENIRE_PROCESSES`. The map of which
tests run a line is measured first, with all tests, unless `.mutants` has it for these sources. `--keep-map` uses an
older one; `--by-imports` needs none, and runs the files of tests that are nearest to the module by imports.
"""

from __future__ import annotations

import argparse
import difflib
import os
import queue
import subprocess
import sys
import tomllib
from collections import defaultdict
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
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
    known = _equivalents()
    if options.list:
        for mutation in sample:
            before, after = mutation.texts((ROOT / mutation.file).read_bytes())
            print(f"{mutation.file}:{mutation.line}: {mutation.kind}\n    {before}\n    {after}")
        return
    copies = [Copy(ROOT) for _ in range(processes)]
    try:
        line_map = _line_map(copies[0], processes, options)
        equivalent = [each for each in sample if _key(each) in known]
        trials = _try_all([each for each in sample if _key(each) not in known], copies, line_map)
    finally:
        for copy in copies:
            copy.remove()
    tests = f"{len(line_map.seconds)} tests ({line_map.unused} unused)"
    print(f"\nseed {seed}, {len(sample)} mutants of {_commit()}, {tests}\n")
    _tell_shares(trials)
    _tell_survivors([trial for trial in trials if trial.noticed_by is None])
    print(f"\n{len(equivalent)} known to be equivalent, not counted:")
    for each in equivalent:
        print(f"  {each.file}:{each.line} {' → '.join(_key(each)[1:])}: {known[_key(each)]}")


_NUMBERS = {"SEED": "1", "MUTANTS": "200", "PROCESSES": "2"}


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench.mutants", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("paths", nargs="*", help="folders or files below src/venire")
    parser.add_argument("--list", action="store_true", help="show what would be changed")
    parser.add_argument("--by-imports", action="store_true", help="find tests by imports, without measuring")
    parser.add_argument(
        "--keep-map", action="store_true", help="find tests by the map that there is, though sources changed"
    )
    return parser.parse_args()


def _line_map(copy: Copy, processes: int, options: argparse.Namespace) -> Tests:
    if options.by_imports:
        return ImportMap(copy.tree)
    if (MAP / "digests.json").exists():
        line_map = LineMap(MAP, copy.tree)
        if options.keep_map or line_map.is_current:
            return line_map
    measure(copy.tree, MAP, [], processes)
    return LineMap(MAP, copy.tree)


def _try_all(sample: Sequence[Mutation], copies: Sequence[Copy], tests: Tests) -> list[Trial]:
    """Try all changes; again without the tests that fail on the unchanged source too, until there are none."""
    trials: dict[Mutation, Trial] = {}
    left, unsound = list(sample), set()
    while left:
        trials |= {trial.mutation: trial for trial in _try_each(left, copies, tests, unsound)}
        noticing = sorted({trials[each].noticed_by or "" for each in left})
        failing = copies[0].failing([name for name in noticing if name.startswith(("src/", "tests/"))], tests)
        left = [each for each in left if trials[each].noticed_by in failing]
        unsound |= failing
    return list(trials.values())


def _try_each(sample: Sequence[Mutation], copies: Sequence[Copy], tests: Tests, without: set[str]) -> list[Trial]:
    free: queue.SimpleQueue[Copy] = queue.SimpleQueue()
    for copy in copies:
        free.put(copy)

    def try_one(mutation: Mutation) -> Trial:
        copy = free.get()
        trial = copy.try_out(mutation, tests, LIMIT_SECONDS, sorted(without))
        free.put(copy)
        seen = trial.noticed_by or f"NOT NOTICED by {trial.tests} tests"
        print(f"{mutation.file}:{mutation.line} {' → '.join(_key(mutation)[1:])}: {seen}", file=sys.stderr, flush=True)
        return trial

    with ThreadPoolExecutor(len(copies)) as pool:
        return list(pool.map(try_one, sample))


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


def _tell_survivors(survivors: Sequence[Trial]) -> None:
    print(f"\n{len(survivors)} not noticed:")
    for trial in survivors:
        source = (ROOT / trial.mutation.file).read_bytes()
        before, after = source.decode().splitlines(), trial.mutation.apply(source).decode().splitlines()
        print(
            "\n".join(
                difflib.unified_diff(before, after, trial.mutation.file, f"{trial.tests} tests", n=2, lineterm="")
            )
        )


def _equivalents() -> dict[tuple[str, str, str], str]:
    """Read which changes change no behaviour, with the reason."""
    listed = tomllib.loads((Path(__file__).parent / "equivalents.toml").read_text())["equivalent"]
    return {(each["file"], each["line"], each["becomes"]): each["reason"] for each in listed}


def _key(mutation: Mutation) -> tuple[str, str, str]:
    return mutation.file, *mutation.texts((ROOT / mutation.file).read_bytes())


def _commit() -> str:
    shown = subprocess.run(
        ["git", "describe", "--always", "--dirty"], cwd=ROOT, capture_output=True, check=True, text=True
    )
    return shown.stdout.strip()


if __name__ == "__main__":
    main()
