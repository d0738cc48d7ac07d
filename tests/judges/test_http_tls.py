"""Judges behind TLS: a certificate that nobody vouches for is refused, one that the system is told to trust is not."""

import asyncio
import base64
import datetime
import re
import socket
import ssl
from concurrent.futures import ThreadPoolExecutor

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

from venire.judges.provider import Decoding, Request
from venire.judges.registry import create_provider

REQUEST = Request("m-1", "Judge.", "Text.", Decoding(), {})
ANSWER = b'{"choices": [{"message": {"content": "fine"}}]}'


def signed(name, key, issuer, issuer_key, *, is_authority):
    named = x509.SubjectAlternativeName([x509.DNSName("localhost")])
    now = datetime.datetime.now(datetime.UTC)
    builder = x509.CertificateBuilder(issuer, name, key.public_key(), x509.random_serial_number())
    builder = builder.not_valid_before(now - datetime.timedelta(1)).not_valid_after(now + datetime.timedelta(1))
    builder = builder.add_extension(x509.BasicConstraints(is_authority, None), critical=True)
    return builder.add_extension(named, critical=False).sign(issuer_key, hashes.SHA256())


@pytest.fixture
def certified(tmp_path):
    """A server's side of TLS, and the file of the authority behind its certificate."""
    authority_key, key = ec.generate_private_key(ec.SECP256R1()), ec.generate_private_key(ec.SECP256R1())
    authority = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "an authority")])
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "localhost")])
    pem = serialization.Encoding.PEM
    root = tmp_path / "root.pem"
    root.write_bytes(signed(authority, authority_key, authority, authority_key, is_authority=True).public_bytes(pem))
    own = tmp_path / "own.pem"
    plain = key.private_bytes(pem, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    own.write_bytes(plain + signed(name, key, authority, authority_key, is_authority=False).public_bytes(pem))
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(own)
    return context, root


def serve(listening, context):
    """Answer one request; a client that does not trust us hangs up before it has asked."""
    connection, _ = listening.accept()
    try:
        with context.wrap_socket(connection, server_side=True) as secure:
            secure.recv(65_536)
            secure.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%b" % (len(ANSWER), ANSWER))
    except ssl.SSLError:
        connection.close()


def ask(context, **options):
    return ask_server(lambda listening: serve(listening, context), **options)


def ask_server(answer, **options):
    async def run(port):
        provider = create_provider("openai_compatible", {"base_url": f"https://localhost:{port}", **options})
        try:
            return await provider.ask(REQUEST)
        finally:
            await provider.close()

    with socket.create_server(("127.0.0.1", 0)) as listening, ThreadPoolExecutor(1) as pool:
        serving = pool.submit(answer, listening)
        reply = asyncio.run(run(listening.getsockname()[1]))
        serving.result(timeout=30)
    return reply


def test_a_certificate_that_nobody_vouches_for_is_refused(certified):
    reply = ask(certified[0])
    assert reply.error_kind == "connection"
    assert re.sub(r":\d+", ":1", reply.error) == (
        "the certificate of localhost:1 is not trusted: unable to get local issuer certificate; for an authority of "
        "your own, name the file with its certificate in SSL_CERT_FILE"
    )


def test_a_server_that_speaks_no_tls_is_told_from_one_that_is_not_trusted():
    def answer_plainly(listening):
        connection, _ = listening.accept()
        with connection:
            connection.recv(65_536)
            connection.sendall(b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n")

    reply = ask_server(answer_plainly)
    assert reply.error_kind == "connection"
    assert re.sub(r":\d+", ":1", reply.error) == (
        "no TLS connection to localhost:1: wrong version number; check whether its address begins with https:// or "
        "http://"
    )


def test_an_authority_in_the_file_of_the_environment_is_trusted(certified, monkeypatch):
    monkeypatch.setenv("SSL_CERT_FILE", str(certified[1]))
    assert ask(certified[0]).text == "fine"


def relay(listening, seen):
    """A proxy that lets one client through, and passes on what both sides say."""
    client, _ = listening.accept()
    head = b""
    while not head.endswith(b"\r\n\r\n"):
        head += client.recv(65_536)
    seen.append(head)
    with client, socket.create_connection(("127.0.0.1", int(head.split()[1].rpartition(b":")[2]))) as server:
        client.sendall(b"HTTP/1.1 200 Connection established\r\n\r\n")
        with ThreadPoolExecutor(1) as pool:
            back = pool.submit(pump, server, client)
            pump(client, server)
            back.result(timeout=30)


def pump(source, target):
    try:
        while data := source.recv(65_536):
            target.sendall(data)
        target.shutdown(socket.SHUT_WR)
    except OSError:
        return


def test_tls_goes_through_a_proxy_that_sees_nothing_but_the_name(certified, monkeypatch):
    monkeypatch.setenv("SSL_CERT_FILE", str(certified[1]))
    monkeypatch.setenv("JUDGE_KEY", "sk-very-secret-0123456789")
    monkeypatch.setattr("venire.judges.http.proxy.is_loopback", lambda _: False)
    for name in ("no_proxy", "NO_PROXY", "https_proxy"):
        monkeypatch.delenv(name, raising=False)
    seen = []
    with socket.create_server(("127.0.0.1", 0)) as listening, ThreadPoolExecutor(1) as pool:
        relaying = pool.submit(relay, listening, seen)
        port = listening.getsockname()[1]
        monkeypatch.setenv("HTTPS_PROXY", f"http://ann:p%40ss@127.0.0.1:{port}")
        reply = ask(certified[0], api_key_env="JUDGE_KEY")
        relaying.result(timeout=30)
    assert reply.text == "fine"
    assert seen[0].startswith(b"CONNECT localhost:")
    assert b"Proxy-Authorization: Basic " + base64.b64encode(b"ann:p@ss") in seen[0]
    assert b"secret" not in seen[0]
