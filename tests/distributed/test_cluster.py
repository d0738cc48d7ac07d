import os
import socket
import subprocess
import sys
import threading

import pytest

from hostile_pdfs import many_pages, memory_bomb
from ray_cluster import TOKEN
from venire.distributed import cluster
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


def test_another_server_than_ray_is_told_apart_at_once():
    def answer():
        connection, _ = listening.accept()
        with connection:
            connection.recv(100)
            connection.sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n")

    with socket.create_server(("127.0.0.1", 0)) as listening:
        answering = threading.Thread(target=answer)
        answering.start()
        with pytest.raises(ConfigError, match="what answers there is not a Ray cluster") as caught:
            join(f"127.0.0.1:{listening.getsockname()[1]}")
        answering.join()
    assert "8265 is the dashboard's" in caught.value.hint


def test_somebody_who_listens_and_says_nothing_is_not_waited_for_forever(monkeypatch):
    monkeypatch.setattr(cluster, "GREETING_SECONDS", 0.05)
    with (
        socket.create_server(("127.0.0.1", 0)) as silent,
        pytest.raises(ConfigError, match="no Ray cluster answers there: timed out"),
    ):
        join(f"127.0.0.1:{silent.getsockname()[1]}")


def test_an_answer_that_comes_in_pieces_is_waited_for(monkeypatch):
    monkeypatch.setattr(cluster, "GREETING_SECONDS", 0.05)
    told = threading.Event()

    def begin_to_answer():
        connection, _ = listening.accept()
        with connection:
            connection.sendall(b"\0\0")
            told.wait()

    with socket.create_server(("127.0.0.1", 0)) as listening:
        answering = threading.Thread(target=begin_to_answer)
        answering.start()
        with pytest.raises(ConfigError, match="no Ray cluster answers there: timed out"):
            join(f"127.0.0.1:{listening.getsockname()[1]}")
        told.set()
        answering.join()


@pytest.mark.parametrize("address", ["nonsense", "ray://127.0.0.1:10001", "host:", "host:many"])
def test_an_address_of_another_form_is_refused_with_the_form_that_is_right(address):
    with pytest.raises(ConfigError, match="expected `auto` or the address of a Ray cluster as host:port"):
        join(address)


def test_the_variable_of_ray_names_the_cluster_where_no_address_is_given():
    with pytest.raises(ConfigError) as caught:
        join("", {"RAY_ADDRESS": "somewhere"})
    assert caught.value.where == "somewhere"


def join_no_samples(address, environment):
    """Join a cluster from a process of its own; returns what it prints: the address of the first node, or an error."""
    code = f"""
from venire.distributed.cluster import joined
with joined({address!r}) as ray:
    print(ray.nodes()[0]["NodeManagerAddress"])
"""
    process = subprocess.run(
        [sys.executable, "-c", code], check=False, env=environment, stdout=-1, stderr=subprocess.STDOUT, text=True
    )
    return process.stdout


def test_a_cluster_with_another_token_cannot_be_joined_and_the_way_out_is_told(shared_cluster):
    words = join_no_samples(shared_cluster.address, {**os.environ, **TOKEN, "RAY_AUTH_TOKEN": "f" * 64})
    assert "ConfigError" in words
    assert "set RAY_AUTH_MODE=token and RAY_AUTH_TOKEN" in words


def test_a_cluster_that_is_started_listens_on_loopback_alone():
    environment = {name: value for name, value in os.environ.items() if not name.startswith("RAY_")}
    assert join_no_samples("", environment).endswith("127.0.0.1\n")


def test_the_missing_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(ConfigError, match="needs Ray, which is not installed") as caught:
        join("")
    assert caught.value.hint == "Run: pip install 'venire[ray]'"


def test_a_worker_parses_pdfs_in_a_child_of_its_own(shared_cluster):
    import ray

    def read_both(hostile, honest):
        from venire.inputs.documents.pdf import PdfLimits
        from venire.inputs.documents.pdf_reader import PDF_READER

        problem = PDF_READER.read(hostile, PdfLimits(memory_mib=64)).problem
        return problem, PDF_READER.read(honest, PdfLimits()).pages

    with joined(shared_cluster.address, {}):
        problem, pages = ray.get(ray.remote(read_both).remote(memory_bomb(512), many_pages(2)))
    assert problem in ("error.pdf.gave_up", "error.pdf.memory")
    assert pages == ("page", "page")
