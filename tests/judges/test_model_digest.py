"""The digest of a model's file is read once and remembered until the file is touched."""

from __future__ import annotations

import hashlib
import os

import pytest

from venire.errors import ConfigError
from venire.judges.model_digest import own_model_digest


@pytest.fixture
def model(tmp_path):
    path = tmp_path / "own.gguf"
    path.write_bytes(b"GGUF first")
    return path


@pytest.fixture
def cache(tmp_path):
    return tmp_path / "digests"


def test_the_whole_file_counts(model, cache):
    assert own_model_digest(str(model), cache) == hashlib.sha256(b"GGUF first").hexdigest()


def test_a_file_that_was_not_touched_is_not_read_again(model, cache):
    own_model_digest(str(model), cache)
    (remembered,) = cache.iterdir()
    remembered.write_text("f" * 64)
    assert own_model_digest(str(model), cache) == "f" * 64


def test_a_file_that_was_changed_is_read_again_even_if_its_time_was_set_back(model, cache):
    before = model.stat()
    own_model_digest(str(model), cache)
    model.write_bytes(b"GGUF other")
    while model.stat().st_ctime_ns == before.st_ctime_ns:  # The clock of file systems ticks every few milliseconds.
        os.utime(model)
    os.utime(model, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert own_model_digest(str(model), cache) == hashlib.sha256(b"GGUF other").hexdigest()


@pytest.mark.parametrize("damaged", ["", "abc", "G" * 64])
def test_what_is_remembered_and_is_no_digest_is_not_used(model, cache, damaged):
    own_model_digest(str(model), cache)
    (remembered,) = cache.iterdir()
    remembered.write_text(damaged)
    assert own_model_digest(str(model), cache) == hashlib.sha256(b"GGUF first").hexdigest()


def test_where_nothing_can_be_remembered_the_file_is_read_each_time(model, cache):
    cache.write_text("not a folder")
    assert own_model_digest(str(model), cache) == hashlib.sha256(b"GGUF first").hexdigest()


def test_names_of_known_models_and_missing_files_have_none(tmp_path, cache):
    assert own_model_digest("smollm2-135m", cache) is None
    assert own_model_digest(str(tmp_path / "none.gguf"), cache) is None


def test_a_file_that_cannot_be_read_is_an_error(model, cache, monkeypatch):
    def fail(*_):
        raise OSError(5, "Input/output error")

    monkeypatch.setattr(hashlib, "file_digest", fail)
    with pytest.raises(ConfigError, match="cannot be read: Input/output error"):
        own_model_digest(str(model), cache)
