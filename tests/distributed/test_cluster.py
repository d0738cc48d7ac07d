import socket

import pytest

from venire.distributed.cluster import joined
from venire.errors import ConfigError


def join(address, environment=None):
    with joined(address, {} if environment is None else environment):
        raise AssertionError("there is no such cluster")


def test_an_address_where_nobody_listens_is_told_at_once():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port = taken.getsockname()[1]
        with pytest.raises(ConfigError, match="no Ray cluster answers there") as caught:
            join(f"127.0.0.1:{port}")
    assert caught.value.where == f"127.0.0.1:{port}"
    assert "ray start --head" in caught.value.hint


@pytest.mark.parametrize("address", ["nonsense", "ray://127.0.0.1:10001", "host:", "host:many"])
def test_an_address_of_another_form_is_refused_with_the_form_that_is_right(address):
    with pytest.raises(ConfigError, match="expected `auto` or the address of a Ray cluster as host:port"):
        join(address)


def test_the_variable_of_ray_names_the_cluster_where_no_address_is_given():
    with pytest.raises(ConfigError) as caught:
        join("", {"RAY_ADDRESS": "somewhere"})
    assert caught.value.where == "somewhere"
