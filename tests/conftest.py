"""What tests in several folders share."""

from __future__ import annotations

import gc
import os
from collections import Counter, defaultdict

import pytest
from hypothesis import settings
from xdist.scheduler import LoadScopeScheduling

from drawing import draws
from ray_cluster import TOKEN, RayCluster

# The same examples on every run, so that a red run can be repeated; VENIRE_EXPLORE=1 looks for new ones.
settings.register_profile("repeatable", derandomize=True, deadline=None, max_examples=draws(100))
settings.register_profile("exploring", deadline=None, max_examples=500)
settings.load_profile("exploring" if os.environ.get("VENIRE_EXPLORE") else "repeatable")

collect_ignore_glob = ["foreign/make_*.py"]  # They need the tools whose files they make.

os.environ.update(TOKEN)  # All Ray clusters of the tests have one: a process keeps the first that it has seen.

ON_RAY = (
    "tests/distributed/",
    "tests/examples/test_slurm_script.py",
    "tests/flow/test_engines.py",
    "tests/flow/test_jury_on_engines.py",
    "tests/flow/test_votes_in_shards.py",
    "tests/votes/shards/",
)
"""Where tests start Ray clusters."""
_CLUSTERS: list[RayCluster] = []
"""The one that tests on Ray share, while it runs."""


_LONG = ("tests/docs/test_pages.py",)
"""Files that take long: if they came last, one process would work on them while the other has nothing left."""


class OneClusterAtATime(LoadScopeScheduling):
    """Deals tests to processes by files, whose tests share fixtures, and all that start Ray clusters to one process."""

    died_on_ray = ""
    """The test on Ray in which a whole process died; it is run once more, and the summary tells it."""

    def _split_scope(self, nodeid: str) -> str:
        return "ray" if nodeid.startswith(ON_RAY) else nodeid.partition("::")[0]

    def remove_node(self, node):
        died = super().remove_node(node)
        if died and died.startswith(ON_RAY) and not self.died_on_ray:
            OneClusterAtATime.died_on_ray, died = died, None  # Nobody is told, and it stays among what is to be done.
        return died


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config, log):
    """Deal tests to processes for `--dist loadgroup`, whose own marks pytest-xdist 3.8 loses with pytest 9.2."""
    config.option.loadscopereorder = False  # It would begin with the files that have the most tests.
    return OneClusterAtATime(config, log) if config.getvalue("dist") == "loadgroup" else None


def pytest_collection_modifyitems(items):
    """Begin with what takes longest, in the order of names otherwise."""
    items.sort(key=lambda item: (not item.nodeid.startswith(ON_RAY), not item.nodeid.startswith(_LONG)))


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_collection():
    """Search for no garbage while tests are collected: all that is made is kept."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.enable()


def pytest_collection_finish():
    """Keep what was collected out of every later search for garbage: there are millions of objects."""
    gc.freeze()


@pytest.fixture
def figures(record_property):
    """Take what a test has counted under the name of its programme; the sums are printed at the end of the session."""

    def record(programme: str, **counts: int) -> None:
        record_property(f"figures of {programme}", counts)

    return record


def pytest_terminal_summary(terminalreporter):
    """Print one line for each programme whose tests have counted something, in whichever process they ran."""
    if OneClusterAtATime.died_on_ray:
        terminalreporter.write_line(f"the process died in {OneClusterAtATime.died_on_ray}, which was run once more")
    counts: defaultdict[str, Counter[str]] = defaultdict(Counter)
    seconds: Counter[str] = Counter()
    for report in (*terminalreporter.getreports("passed"), *terminalreporter.getreports("failed")):
        for programme, counted in report.user_properties:
            counts[programme].update(counted)
            seconds[programme] += report.duration
    for programme, counted in counts.items():
        listed = ", ".join(f"{number:,} {what.replace('_', ' ')}" for what, number in counted.items())
        rate = next(iter(counted.values())) / seconds[programme]
        took = f"{seconds[programme]:,.0f} s, {rate:,.1f} a second"
        terminalreporter.write_line(f"{programme.removeprefix('figures of ')}: {listed}; {took}")


@pytest.fixture(scope="session")
def postgres():
    """A PostgreSQL server for the whole session; see `PostgresServer`."""
    from postgres_server import PostgresServer

    server = PostgresServer()
    yield server
    server.remove()


@pytest.fixture(scope="session")
def shared_cluster():
    """A Ray cluster of two nodes for all tests on Ray, which nobody kills; see `RayCluster`."""
    cluster = RayCluster()
    _CLUSTERS.append(cluster)
    yield cluster
    cluster.remove()


@pytest.fixture(scope="module")
def joined_cluster(shared_cluster):
    """The shared cluster, which this process stays in while a file's tests run: none of them starts one of its own."""
    from venire.distributed.cluster import joined

    with joined(shared_cluster.address):
        yield


def pytest_runtest_setup(item):
    """End the cluster that tests on Ray have shared once others begin: it works also while nobody asks it."""
    if _CLUSTERS and not item.nodeid.startswith(ON_RAY):
        _CLUSTERS.pop().remove()
