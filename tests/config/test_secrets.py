"""Keys are read from the environment only, and what may be one is never repeated."""

import pytest

from venire.config.file import JudgeConfig
from venire.config.secrets import need_keys_of, refuse_secrets
from venire.errors import ConfigError
from venire.yaml_source import read_yaml

SOURCE = read_yaml("judges:\n  oak:\n    type: openai_compatible\n", "venire.yaml")


def judge(**keys):
    return JudgeConfig(type="openai_compatible", **keys)


def test_an_option_that_holds_a_secret_is_refused_wherever_it_is():
    refuse_secrets("oak", judge(options={"extra_body": {"seed": 1}}), SOURCE)
    with pytest.raises(ConfigError, match=r"has the option 'extra_body\.Api-Key'") as raised:
        refuse_secrets("oak", judge(options={"extra_body": {"Api-Key": "sk-1234"}}), SOURCE)
    assert "sk-1234" not in str(raised.value)


def test_a_missing_key_is_named_unless_it_may_be_the_key_itself():
    need_keys_of({"oak": judge(api_key_env="OAK_KEY")}, {"OAK_KEY": "k"}, SOURCE)
    with pytest.raises(ConfigError, match="needs the environment variable OAK_KEY, which is not set"):
        need_keys_of({"oak": judge(api_key_env="OAK_KEY")}, {}, SOURCE)
    with pytest.raises(ConfigError, match="may be the key itself") as raised:
        need_keys_of({"oak": judge(api_key_env="sk-abc123")}, {}, SOURCE)
    assert "sk-abc123" not in str(raised.value)
