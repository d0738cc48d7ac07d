"""venire.yaml: what loads, and what is refused with its line before anything is asked."""

import json
import re

import pytest
import yaml

from experiment import venire
from venire.config import JudgeConfig, SamplesConfig, VenireConfig, load_settings
from venire.errors import ConfigError
from venire.inputs.documents.pdf import PdfLimits
from venire.judges.panel import JudgeLimits, Price
from venire.runner.options import Budget, RunnerOptions
from venire.workflows.open_engine import make_providers

KEYS = {"DEEPSEEK_API_KEY": "k1", "GLM_API_KEY": "k2", "MINIMAX_API_KEY": "k3"}

THREE_JUDGES = """
{indent}deepseek_judge:
{indent}  enabled: true
{indent}  type: "deepseek"
{indent}  model: "deepseek-chat"
{indent}  api_key_env: "DEEPSEEK_API_KEY"
{indent}  blind_evaluation: true
{indent}  max_tokens: 2048
{indent}  temperature: 0.3
{indent}  weight: 0.30
{indent}glm_judge:
{indent}  enabled: true
{indent}  type: "glm"
{indent}  model: "glm-4.7"
{indent}  api_key_env: "GLM_API_KEY"
{indent}  blind_evaluation: true
{indent}  max_tokens: 2048
{indent}  temperature: 0.3
{indent}  weight: 0.30
{indent}minimax_judge:
{indent}  enabled: true
{indent}  type: "minimax"
{indent}  model: "MiniMax-M2.1"
{indent}  api_key_env: "MINIMAX_API_KEY"
{indent}  blind_evaluation: true
{indent}  max_tokens: 2048
{indent}  temperature: 0.3
{indent}  weight: 0.40
"""


def write(folder, text):
    path = folder / "venire.yaml"
    path.write_text(text, encoding="utf-8")
    return path


def load(folder, text, environment=KEYS, **options):
    return load_settings(write(folder, text), environment=environment, **options)


def refused(folder, text, environment=KEYS, **options):
    with pytest.raises(ConfigError) as error:
        load(folder, text, environment, **options)
    return error.value


def one_judge(more="", top=""):
    return f"samples: outputs.jsonl\n{top}judges:\n  oak:\n    type: ollama\n    model: oak\n{more}"


def one_rule_judge(more):
    return f"samples: outputs.jsonl\njudges:\n  oak:\n    type: rules\n    {more}\n"


def test_the_judges_of_the_quality_system_load_unchanged(tmp_path):
    text = "samples: outputs.jsonl\nprotocol: quality\njudges:" + THREE_JUDGES.format(indent="  ")
    settings = load(tmp_path, text)
    summary = [
        (judge.name, judge.kind, judge.model, judge.weight, judge.scale, judge.blind) for judge in settings.judges
    ]
    assert summary == [
        ("deepseek_judge", "deepseek", "deepseek-chat", 0.3, "1-5", True),
        ("glm_judge", "glm", "glm-4.7", 0.3, "1-5", True),
        ("minimax_judge", "minimax", "MiniMax-M2.1", 0.4, "0-10", True),
    ]
    assert {judge.decoding.max_tokens for judge in settings.judges} == {2048}
    assert {judge.decoding.temperature for judge in settings.judges} == {0.3}
    assert [judge.family for judge in settings.judges] == ["deepseek", "glm", "minimax"]


def test_the_judges_may_stand_under_quality(tmp_path):
    text = "samples: outputs.jsonl\nprotocol: quality\nquality:\n  judges:" + THREE_JUDGES.format(indent="    ")
    flat = "samples: outputs.jsonl\nprotocol: quality\njudges:" + THREE_JUDGES.format(indent="  ")
    assert load(tmp_path, text).judges == load(tmp_path, flat).judges


def test_an_error_under_quality_names_its_own_line(tmp_path):
    text = "samples: outputs.jsonl\nprotocol: quality\nquality:\n  judges:" + THREE_JUDGES.format(indent="    ")
    error = refused(tmp_path, text.replace('"glm-4.7"\n', '"glm-4.7"\n      tempreture: 1\n'))
    line = text[: text.index("glm-4.7")].count("\n") + 2
    assert (error.where, error.message) == (
        f"{tmp_path / 'venire.yaml'}:{line}",
        "unknown key 'tempreture', at judges.glm_judge.tempreture",
    )


def test_everything_wrong_with_a_file_is_told_at_once_with_what_was_meant(tmp_path):
    error = refused(tmp_path, one_judge("    weigth: 1\n    language: english\n", top="samlpes: x.csv\n"))
    told = [(str(each.message), str(each.hint)) for each in (error, *error.further)]
    assert [message.partition(",")[0] for message, _ in told] == [
        "unknown key 'samlpes'", "unknown key 'weigth'", "'english' is not an allowed value here",
    ]  # fmt: skip
    assert "Did you mean `samples:`?" in told[0][1]
    assert "Did you mean `weight:`?" in told[1][1]
    assert told[2][1] == "One of: en, zh."


def test_a_type_of_judge_that_there_is_none_of_suggests_the_one_that_was_meant(tmp_path):
    error = refused(tmp_path, one_judge().replace("type: ", "type: x", 1))
    assert "Known types:" in error.hint
    error = refused(tmp_path, "samples: outputs.jsonl\njudges:\n  oak: {type: opnai, model: m}\n")
    assert "Did you mean 'openai'?" in error.hint


def test_a_judge_that_is_not_enabled_needs_no_key_and_no_weight(tmp_path):
    text = one_judge() + "  deaf:\n    type: deepseek\n    model: m\n    enabled: false\n    weight: 9\n"
    assert [judge.name for judge in load(tmp_path, text, {}).judges] == ["oak"]


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        (one_judge(top="colour: red\n"), 2, "unknown key 'colour'"),
        (one_judge("    weigth: 1\n"), 6, "unknown key 'weigth'"),
        (one_judge("    limits: {concurrency: 0}\n"), 6, ">= 1"),
        (one_judge("    limits: {requests_per_minute: 0}\n"), 6, "> 0"),
        (one_judge("    max_tokens: 0\n"), 6, ">= 1"),
        (one_judge("    temperature: -1\n"), 6, ">= 0"),
        (one_judge("    price: {input_per_million: -1}\n"), 6, ">= 0"),
        (one_judge("    weight: 0\n"), 6, "not above 0"),
        (one_judge("    scale: 0-10\n"), 6, "which protocol 'drift-sample' does not have"),
        (one_judge("    language: fr\n"), 6, "fr"),
        (one_judge("    mask_identity: true\n    attach_files: true\n"), 6, "cannot be masked"),
        (one_judge(top="runner: {reask_share: 2}\n"), 2, "<= 1"),
        (one_judge(top="runner: {attempts: 0}\n"), 2, ">= 1"),
        (one_judge(top="runner: {budget: {calls: -1}}\n"), 2, ">= 0"),
        (one_judge(top="runner:\n  mode: both\n"), 3, "both"),
        (one_judge(top="protocol: drift\n"), 2, "drift"),
        (one_judge().replace("ollama", "olama"), 4, "unknown type 'olama'"),
        (one_judge().replace("    model: oak\n", ""), 4, "names no model"),
        (one_judge("    model: elm\n"), 6, "duplicate key"),
        (one_judge("    enabled: false\n"), 3, "no judge is enabled"),
        (one_judge().replace("ollama", "openai_compatible").replace("    model: oak\n", ""), 4, "names no model"),
        (one_judge("    seed: 9007199254740992\n"), 6, "up to 9007199254740991"),
        (one_judge(top="protocol: missing.yaml\n"), 2, "the protocol missing.yaml: cannot be read"),
        (one_rule_judge("rules: missing.yaml"), 5, "the rules 'missing.yaml' cannot be read"),
        (one_rule_judge("rules: {dimensions: {STYLE: []}}"), 5, "checks for 'STYLE', which is no dimension"),
        ("samples: [a]\njudges: {}\n", 1, "expected"),
        ("- a\n", 1, "expected keys and values (`key: value`), found a list"),
        ("only words\n", 1, "expected keys and values (`key: value`), found text"),
        ("judges: oak\nsamples: a\n", 1, "expected keys and values (`key: value`), found text, at judges"),
        ('samples: "a\\0b"\njudges: {}\n', 1, "text holds a NUL character"),
        ('samples: a\njudges: {"a\\0b": {}}\n', 2, "a key must be plain text"),
        (one_judge(top="weights: missing.yaml\n"), 2, "missing.yaml cannot be read"),
        ("judges: {\n", 2, "not YAML"),
        ("", 1, "empty"),
    ],
)
def test_what_is_wrong_is_refused_with_its_line(text, line, words, tmp_path):
    error = refused(tmp_path, text)
    assert words in error.message
    assert error.where == f"{tmp_path / 'venire.yaml'}:{line}"
    assert error.hint


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (one_judge("    options: {colour: red}\n"), "unknown key 'colour'"),
        (one_judge("    options: {structured: maybe}\n"), "maybe"),
        (one_judge("    options: {extra_body: {seed: 1}}\n"), "`extra_body` holds seed"),
        (one_judge("    base_url: ftp://host\n"), "http:// or https://"),
        (one_judge("    base_url: http://host:99999\n"), "http:// or https://"),
        (one_judge('    base_url: "http://[::1"\n'), "http:// or https://"),
        (one_judge('    base_url: "http://a host/v1"\n'), "http:// or https://"),
        (one_judge("    base_url: http://ann:word@host/v1\n"), "a plain address"),
        (one_rule_judge("rules: {dimensions: {'*': [{check: luck}]}}"), "luck"),
        (one_rule_judge("weight: 1.0"), "the key 'dimensions' is missing"),
        (one_rule_judge("weight: 1.0").replace("rules", "replay"), "needs either path, ledger or replies"),
        (one_rule_judge("model: no.gguf").replace("rules", "local"), "no local model 'no.gguf'"),
    ],
)
def test_what_a_provider_refuses_is_told_with_its_judge_and_line(text, words, tmp_path):
    settings = load(tmp_path, text, {})
    with pytest.raises(ConfigError, match="judge 'oak': ") as wrong:
        make_providers(settings)
    assert words in wrong.value.message
    assert wrong.value.where == f"{tmp_path / 'venire.yaml'}:4"
    assert wrong.value.hint


def test_the_file_of_a_local_model_is_looked_for_beside_the_configuration(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    (tmp_path / "own.gguf").write_bytes(b"GGUF")
    text = one_rule_judge("model: own.gguf").replace("rules", "local")
    (judge,) = load(tmp_path, text, {}).judges
    assert (judge.model, judge.options["model"]) == ("own.gguf", str(tmp_path / "own.gguf"))
    (named,) = load(tmp_path, text.replace("own.gguf", "smollm2-135m"), {}).judges
    assert named.options["model"] == "smollm2-135m"


def test_another_file_of_weights_under_the_same_name_is_another_instrument(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    text = one_rule_judge("model: own.gguf").replace("rules", "local")
    digests = []
    for content in (b"GGUF", b"GGUF of another size", b"GGUF"):
        (tmp_path / "own.gguf").unlink(missing_ok=True)
        (tmp_path / "own.gguf").write_bytes(content)
        (judge,) = load(tmp_path, text, {}).judges
        digests.append(judge.digest)
    assert digests[0] == digests[2] != digests[1]


def test_a_model_whose_weights_are_pinned_is_known_by_its_name(tmp_path):
    (judge,) = load(tmp_path, one_rule_judge("model: smollm2-135m").replace("rules", "local"), {}).judges
    assert judge.rules == {}


def test_judges_without_weights_share_the_score_equally(tmp_path):
    text = one_judge() + "  elm:\n    type: ollama\n    model: elm\n"
    assert [judge.weight for judge in load(tmp_path, text).judges] == [0.5, 0.5]


def test_a_weight_that_only_one_judge_states_is_not_filled_in_for_the_other(tmp_path):
    text = one_judge("    weight: 0.6\n") + "  elm:\n    type: ollama\n    model: elm\n"
    assert "sum to 1.6" in refused(tmp_path, text).message


def test_weights_off_one_are_refused_unless_they_are_to_be_rescaled(tmp_path, capsys):
    text = one_judge("    weight: 0.6\n") + "  elm:\n    type: ollama\n    model: elm\n    weight: 0.9\n"
    error = refused(tmp_path, text)
    assert "sum to 1.5" in error.message
    assert error.where.endswith(":3")
    settings = load(tmp_path, text, renormalise=True)
    assert [judge.weight for judge in settings.judges] == pytest.approx([0.4, 0.6])


def test_a_missing_key_variable_is_named_before_anything_is_asked(tmp_path):
    text = "samples: outputs.jsonl\nprotocol: quality\njudges:" + THREE_JUDGES.format(indent="  ")
    error = refused(tmp_path, text, {**KEYS, "GLM_API_KEY": " "})
    assert "needs the environment variable GLM_API_KEY" in error.message
    assert error.where.endswith(f":{text[: text.index('GLM_API_KEY')].count(chr(10)) + 1}")
    assert load(tmp_path, text, {}, need_keys=False).judges


@pytest.mark.parametrize(
    "key", ["sk-proj-abcDEF123", "0123456789abcdef0123456789abcdef", "AKIAIOSFODNN7EXAMPLE", "Bearer abc", "aB3_" * 12]
)
def test_a_key_pasted_in_place_of_a_variables_name_is_not_repeated(key, tmp_path):
    error = refused(tmp_path, one_judge(f"    api_key_env: {json.dumps(key)}\n"))
    assert key not in str(error)
    assert "name of a variable" in error.hint


def test_a_file_that_is_not_there_says_how_to_begin(tmp_path):
    with pytest.raises(ConfigError, match="`venire init` writes a starter"):
        load_settings(tmp_path / "none.yaml")


def test_rules_that_cannot_be_read_are_refused(tmp_path):
    text = "samples: a.jsonl\njudges:\n  r:\n    type: rules\n    rules: none.yaml\n"
    assert "none.yaml" in refused(tmp_path, text).message


def test_paths_are_relative_to_the_file_and_the_ledger_may_be_an_address(tmp_path):
    settings = load(tmp_path, one_judge(top="ledger: runs/one.sqlite\n"))
    assert settings.samples_path == tmp_path / "outputs.jsonl"
    assert settings.ledger_path == tmp_path / "runs" / "one.sqlite"
    assert load(tmp_path, one_judge(top="ledger: 'memory:'\n")).ledger_path is None


def test_a_model_on_this_machine_gets_one_request_at_a_time_unless_told(tmp_path):
    text = "samples: a.jsonl\njudges:\n  r:\n    type: local\n    model: m\n"
    assert load(tmp_path, text).judges[0].limits.concurrency == 1
    assert load(tmp_path, one_judge()).judges[0].limits.concurrency == 8


def test_options_of_a_provider_belong_to_the_instrument(tmp_path):
    plain = load(tmp_path, one_judge()).judges[0]
    changed = load(tmp_path, one_judge("    options: {structured: none}\n")).judges[0]
    assert plain.digest != changed.digest
    assert changed.options["structured"] == "none"


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_starter_loads_again_and_explains_every_key(language, tmp_path, capsys):
    path = tmp_path / "venire.yaml"
    assert venire("init", path, "--lang", language) == 0
    settings = load_settings(path, environment=KEYS)
    assert [judge.name for judge in settings.judges] == ["deepseek_judge", "glm_judge"]
    assert {judge.language for judge in settings.judges} == {language}
    text = path.read_text(encoding="utf-8")
    assert yaml.safe_load(text)["protocol"] == "drift-sample"
    shapes = (VenireConfig, SamplesConfig, PdfLimits, JudgeConfig, JudgeLimits, Price, RunnerOptions, Budget)
    keys = {field for shape in shapes for field in shape.__struct_fields__}
    assert not {key for key in keys if not re.search(rf"\b{key}\b", text)}
    assert venire("init", path) == 2
    assert "already exists" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("options", "line"),
    [
        ("      api_key: sk-secret-1\n", 7),
        ("      extra_body:\n        X-API-Key: sk-secret-1\n", 8),
        ("      extra_body:\n        headers: {Authorization: Bearer sk-secret-1}\n", 8),
    ],
)
def test_a_key_among_the_options_is_refused_and_not_repeated(tmp_path, options, line):
    error = refused(tmp_path, one_judge(f"    options:\n{options}"))
    assert "keys are read from the environment only" in error.message
    assert error.where.endswith(f":{line}")
    assert "sk-secret" not in str(error)


@pytest.mark.parametrize("language", ["en", "zh"])
def test_everything_that_the_starter_offers_in_comments_loads_too(language, tmp_path):
    path = tmp_path / "venire.yaml"
    assert venire("init", path, "--lang", language) == 0
    offered = re.compile(r"^( *)# (?=[a-z_]+: ?\S)(?!base_url|weights|pairs)", re.MULTILINE)
    text = offered.sub(r"\1", path.read_text(encoding="utf-8"))
    text = text.replace("mask_identity: true", "mask_identity: false").replace("scale: 0-10", "scale: 0-2")
    (tmp_path / "rules.yaml").write_text("dimensions: {}\n")
    settings = load_settings(write(tmp_path, text), environment=KEYS, renormalise=True)
    assert [judge.name for judge in settings.judges] == ["deepseek_judge", "glm_judge", "house_rules"]
    assert settings.config.runner.budget.calls == 10000
    assert settings.judges[0].aliases == ("deepseek-v3",)
    assert settings.config.engine == "ray"
    assert settings.config.ray.workers == 4


PAIRS = "samples: outputs.jsonl\nprotocol: preference\n{pairs}judges:\n  oak:\n    type: ollama\n    model: oak\n"


def test_pairs_that_are_drawn_actively_need_a_budget_and_others_do_not(tmp_path):
    active, budget = "pairs: {choose: active}\n", "runner: {budget: {calls: 20}}\n"
    error = refused(tmp_path, PAIRS.format(pairs=active))
    assert (error.where, "need a budget" in error.message) == (f"{tmp_path / 'venire.yaml'}:3", True)
    assert load(tmp_path, PAIRS.format(pairs=active + budget)).config.pairs.is_active
    for without in ("pairs: {order: random}\n", "pairs: {order: random}\n" + budget, ""):
        load(tmp_path, PAIRS.format(pairs=without))


def test_pairs_belong_to_a_protocol_that_judges_pairs(tmp_path):
    error = refused(tmp_path, PAIRS.format(pairs="pairs: {order: random}\n").replace("preference", "quality"))
    assert error.where == f"{tmp_path / 'venire.yaml'}:3"
