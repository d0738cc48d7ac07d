"""The archive of a run."""

import shutil

import pytest

from experiment import make_samples, served_judge, serving, venire, write_config, write_samples


@pytest.fixture(scope="module")
def archived(tmp_path_factory):
    """A folder with the archive of a blind run in which one judge judges itself, and the sources."""
    folder = tmp_path_factory.mktemp("archived")
    write_samples(folder, make_samples(3, "elm-1"))
    with serving([{"fault": "none"}, {"fault": "fenced"}]) as server:
        oak = served_judge(server.base_url, limits={"concurrency": 1})
        elm = served_judge(server.base_url, model="served", aliases=["elm-1"])
        config = write_config(folder, {"oak": oak, "elm": elm})
        venire("judge", config, "--quiet")
    assert venire("export", folder / "ledger.sqlite", folder / "archive") == 0
    return folder


@pytest.fixture
def archive(archived, tmp_path):
    return shutil.copytree(archived / "archive", tmp_path / "archive")
