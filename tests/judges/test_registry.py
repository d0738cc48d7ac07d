import asyncio
import subprocess
import sys
import tomllib
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest

from venire import plugins
from venire.errors import ConfigError
from venire.judges.presets import PRESETS
from venire.judges.provider import Decoding, Request
from venire.judges.registry import GROUP, create_provider, known_kinds

PACKAGE = Path(__file__).parent / "plugin_package"


def install(directory, name, points, monkeypatch):
    """Write the metadata that an installer writes, and put it on the path."""
    metadata = directory / f"{name}-1.0.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
    lines = [f"[{GROUP}]", *(f"{key} = {value}" for key, value in points.items())]
    (metadata / "entry_points.txt").write_text("\n".join(lines))
    monkeypatch.syspath_prepend(str(directory))


@pytest.fixture
def plugin_package(tmp_path, monkeypatch):
    """The package beside this test, installed."""
    project = tomllib.loads((PACKAGE / "pyproject.toml").read_text())["project"]
    monkeypatch.syspath_prepend(str(PACKAGE))
    install(tmp_path, "venire_parrot", project["entry-points"][GROUP], monkeypatch)


def test_a_package_brings_a_judge_by_its_entry_point(plugin_package):
    assert "parrot" in known_kinds()
    provider = create_provider("parrot", {"prefix": "> "})
    reply = asyncio.run(provider.ask(Request("m", "s", "hello", Decoding(), {})))
    assert reply.text == "> hello"


def test_a_missing_dependency_of_a_judge_says_what_to_install(plugin_package):
    with pytest.raises(ConfigError, match="pip install 'squawk'"):
        create_provider("mute_parrot", {})


def test_a_broken_entry_point_names_its_place(plugin_package):
    with pytest.raises(ConfigError, match="venire_parrot:no_such_function"):
        create_provider("lost_parrot", {})


def test_an_unknown_kind_lists_the_known_ones_and_guesses():
    with pytest.raises(ConfigError) as raised:
        create_provider("deepsek", {})
    assert "Did you mean deepseek?" in str(raised.value)
    for kind in ("rules", "replay", "local", "openai_compatible", "anthropic_compatible", *PRESETS):
        assert kind in str(raised.value)


def test_two_packages_that_claim_one_name_are_refused(plugin_package, tmp_path_factory, monkeypatch):
    install(tmp_path_factory.mktemp("other"), "other_parrot", {"parrot": "other:create"}, monkeypatch)
    with pytest.raises(ConfigError, match=r"several packages: .*other:create"):
        create_provider("parrot", {})


def test_a_built_in_that_is_also_declared_by_the_package_is_no_second_claim(tmp_path, monkeypatch):
    (point,) = plugins.find(GROUP)["rules"]
    install(tmp_path, "venire_again", {"rules": point.value}, monkeypatch)
    assert plugins.find(GROUP)["rules"] == (EntryPoint("rules", point.value, GROUP),)


def test_only_the_named_provider_is_imported():
    code = (
        "import sys\n"
        "from venire.judges.registry import create_provider, known_kinds\n"
        "known_kinds(); create_provider('replay', {'replies': {}})\n"
        "print([name for name in ('httptools', 'xllamacpp', 'venire.judges.providers.rules') if name in sys.modules])\n"
    )
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert result.stdout.strip() == "[]"


@pytest.mark.parametrize("name", PRESETS)
def test_every_preset_makes_a_provider_once_its_key_is_set(name, monkeypatch):
    if PRESETS[name].api_key_env:
        monkeypatch.setenv(PRESETS[name].api_key_env, "k")
    assert type(create_provider(name, {})).__module__.endswith(PRESETS[name].provider)


def test_given_options_override_those_of_a_preset(monkeypatch):
    monkeypatch.setenv("OTHER_KEY", "k")
    options = PRESETS["deepseek"].chosen({"api_key_env": "OTHER_KEY", "structured": "none"})[1]
    assert (options["api_key_env"], options["structured"]) == ("OTHER_KEY", "none")
    assert options["base_url"] == "https://api.deepseek.com"


def test_the_scales_of_presets_are_those_of_the_quality_protocol():
    assert {name: PRESETS[name].scale for name in ("deepseek", "glm", "minimax")} == {
        "deepseek": "1-5",
        "glm": "1-5",
        "minimax": "0-10",
    }
