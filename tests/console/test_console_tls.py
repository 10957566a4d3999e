"""The pages over TLS."""

import asyncio
import contextlib
import shutil
import ssl
import subprocess
from pathlib import Path

import pytest

from daemon.console import connection
from daemon.core.values import replace
from daemon.home.config import Console as Settings
from tests.console.pages import SETTINGS, SOON_S, open_pages


def certified(folder: Path) -> Settings:
    if shutil.which("openssl") is None:
        pytest.skip("there is no openssl here, which makes the certificate")
    key, certificate = folder / "pi.key", folder / "pi.pem"
    made = ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]
    made += ["-keyout", str(key), "-out", str(certificate), "-days", "2", "-subj", "/CN=localhost"]
    made += ["-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1"]
    subprocess.run(made, check=True, capture_output=True)
    return replace(SETTINGS, certificate=certificate, key=key)


async def answer(port: int, settings: Settings) -> bytes:
    """What the first page answers."""
    tls = ssl.create_default_context(cafile=settings.certificate)
    async with asyncio.timeout(SOON_S):
        reader, writer = await asyncio.open_connection("127.0.0.1", port, ssl=tls, server_hostname="localhost")
        writer.write(b"GET /talk HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
        found = await reader.read()
        writer.close()
        await writer.wait_closed()
    return found


async def test_a_page_over_tls_has_a_cookie_for_tls_alone(tmp_path: Path) -> None:
    settings = certified(tmp_path)
    async with open_pages(tmp_path, settings) as pages:
        found = await answer(pages.port, settings)
    assert found.startswith(b"HTTP/1.1 200 OK")
    assert b"; Secure" in found


async def test_who_never_agrees_on_the_encryption_keeps_nobody_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = certified(tmp_path)
    async with open_pages(tmp_path, settings) as pages:
        async with pages.idlers(300):
            assert (await answer(pages.port, settings)).startswith(b"HTTP/1.1 200 OK")
        monkeypatch.setattr(connection, "ASKING_S", 0.2)
        async with asyncio.timeout(SOON_S):
            reader, writer = await asyncio.open_connection("127.0.0.1", pages.port)
            writer.write(b"GET / HTTP/1.1\r\n\r\n")
            with contextlib.suppress(ConnectionError):
                await reader.read()
            writer.transport.abort()
            silent, hand = await asyncio.open_connection("127.0.0.1", pages.port)
            with contextlib.suppress(ConnectionError):
                await silent.read()
            hand.transport.abort()
        assert (await answer(pages.port, settings)).startswith(b"HTTP/1.1 200 OK")
