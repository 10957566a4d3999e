"""Fetching from a real HTTP server on this machine."""

from __future__ import annotations

import hashlib
import io
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
import yaml

from daemon.core.errors import ModelCorrupt, ModelError, ModelMissing
from daemon.models.fetch import Progress, ProgressLine, fetch
from daemon.models.store import Store

REVISION = "0123456789abcdef0123456789abcdef01234567"
WEIGHTS = bytes(range(256)) * 20_000
CONFIG = b'{"layers": 2}'


@dataclass
class Server:
    """What it serves and how it misbehaves; what it was asked."""

    files: dict[str, bytes] = field(
        default_factory=lambda: {
            f"/me/tiny/resolve/{REVISION}/model.bin": WEIGHTS,
            f"/me/tiny/resolve/{REVISION}/config.json": CONFIG,
        }
    )
    address: str = ""
    break_after: int | None = None
    ranges: bool = True
    redirect: str | None = None
    asked: list[tuple[str, str | None]] = field(default_factory=list)


@pytest.fixture
def server() -> Iterator[Server]:
    state = Server()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            wanted = self.headers.get("Range")
            state.asked.append((self.path.rsplit("/", 1)[-1], wanted))
            if state.redirect is not None:
                self.send_response(302)
                self.send_header("Location", state.redirect)
                self.send_header("Content-Length", "0")
                self.end_headers()
                return
            data = state.files.get(self.path)
            if data is None:
                self.send_error(404)
                return
            start = int(wanted.removeprefix("bytes=").rstrip("-")) if wanted and state.ranges else 0
            if start >= len(data):
                self.send_error(416)
                return
            self.send_response(206 if start else 200)
            self.send_header("Content-Length", str(len(data) - start))
            self.end_headers()
            end = len(data) if state.break_after is None else min(len(data), start + state.break_after)
            self.wfile.write(data[start:end])
            if end < len(data):
                self.close_connection = True

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002
            pass

    http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    state.address = f"http://127.0.0.1:{http.server_address[1]}"
    thread = threading.Thread(target=http.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield state
    http.shutdown()
    thread.join()
    http.server_close()


@pytest.fixture
def store(tmp_path: Path) -> Store:
    files = [
        {"path": "config.json"},
        {"path": "model.bin", "size": len(WEIGHTS), "sha256": hashlib.sha256(WEIGHTS).hexdigest()},
    ]
    model: dict[str, object] = {
        "name": "tiny",
        "kind": "transcriber",
        "engine": "faster-whisper",
        "languages": ["en"],
        "licence": "MIT",
    }
    model |= {"repo": "me/tiny", "revision": REVISION, "default": True, "files": files}
    (tmp_path / "manifest.yaml").write_text(yaml.safe_dump({"version": 1, "models": [model]}))
    return Store(tmp_path)


def state_of(store: Store) -> str:
    (status,) = store.verify()
    return status.state


def test_a_model_is_fetched_once(server: Server, store: Store) -> None:
    news: list[Progress] = []
    assert [model.name for model in fetch(store, endpoint=server.address, progress=news.append)] == ["tiny"]
    assert (store.require("tiny") / "model.bin").read_bytes() == WEIGHTS
    assert state_of(store) == "installed"
    assert news[-1] == Progress("tiny", "model.bin", len(WEIGHTS), len(WEIGHTS))
    assert [item.done for item in news[1:]] == sorted(item.done for item in news[1:])
    asked = len(server.asked)
    assert fetch(store, ["tiny"], endpoint=server.address) == ()
    assert len(server.asked) == asked


def test_a_fetch_goes_on_where_it_broke_off(server: Server, store: Store) -> None:
    server.break_after = 2_000_000
    with pytest.raises(ModelError, match="run the same command again"):
        fetch(store, endpoint=server.address)
    assert state_of(store) == "missing"
    assert not (store.root / "tiny").exists()
    with pytest.raises(ModelError, match="broke off"):
        fetch(store, endpoint=server.address)
    server.break_after = None
    fetch(store, endpoint=server.address)
    assert state_of(store) == "installed"
    assert server.asked[-1] == ("model.bin", "bytes=4000000-")
    assert [name for name, _ in server.asked].count("config.json") <= 3


def test_a_server_that_cannot_go_on_begins_again(server: Server, store: Store) -> None:
    server.break_after = 2_000_000
    with pytest.raises(ModelError):
        fetch(store, endpoint=server.address)
    server.break_after, server.ranges = None, False
    fetch(store, endpoint=server.address)
    assert state_of(store) == "installed"


def test_a_file_without_a_hash_is_checked_from_its_first_fetch_on(server: Server, store: Store) -> None:
    fetch(store, endpoint=server.address)
    (store.root / "tiny" / "config.json").unlink()
    assert state_of(store) == "corrupt"
    server.files[f"/me/tiny/resolve/{REVISION}/config.json"] = b'{"layers": 9}'
    with pytest.raises(ModelCorrupt, match=r"config\.json"):
        fetch(store, endpoint=server.address)
    server.files[f"/me/tiny/resolve/{REVISION}/config.json"] = CONFIG
    fetch(store, endpoint=server.address)
    assert state_of(store) == "installed"


def test_a_repair_fetches_only_what_is_wrong(server: Server, store: Store) -> None:
    fetch(store, endpoint=server.address)
    (store.root / "tiny" / "config.json").write_bytes(b"{}")
    server.asked.clear()
    fetch(store, endpoint=server.address)
    assert server.asked == [("config.json", None)]
    assert state_of(store) == "installed"


@pytest.mark.parametrize("damage", ["other bytes", "too long", "too short"])
def test_wrong_weights_are_never_installed(server: Server, store: Store, damage: str) -> None:
    url = f"/me/tiny/resolve/{REVISION}/model.bin"
    server.files[url] = {"other bytes": WEIGHTS[::-1], "too long": WEIGHTS + b"x", "too short": WEIGHTS[:-1]}[damage]
    with pytest.raises(ModelError):
        fetch(store, endpoint=server.address)
    assert state_of(store) == "missing"
    server.files[url] = WEIGHTS
    fetch(store, endpoint=server.address)
    assert state_of(store) == "installed"


def test_a_file_that_is_not_there_is_one_line(server: Server, store: Store) -> None:
    server.files.clear()
    with pytest.raises(ModelError, match="answered 404") as caught:
        fetch(store, endpoint=server.address)
    assert "\n" not in str(caught.value)


def test_without_a_network_it_says_so_in_one_line(store: Store) -> None:
    with pytest.raises(ModelError, match=r"127\.0\.0\.1:9 cannot be reached") as caught:
        fetch(store, endpoint="http://127.0.0.1:9")
    assert "\n" not in str(caught.value)


def test_only_https(store: Store) -> None:
    with pytest.raises(ModelError, match="over https only"):
        fetch(store, endpoint="http://example.org")


def test_a_redirect_to_an_open_line_is_refused(server: Server, store: Store) -> None:
    server.redirect = "http://example.org/model.bin"
    with pytest.raises(ModelError, match="over https only"):
        fetch(store, endpoint=server.address)


def test_the_endpoint_comes_from_the_environment(server: Server, store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_ENDPOINT", server.address + "/")
    fetch(store)
    assert state_of(store) == "installed"


def test_two_fetches_do_not_meet(server: Server, store: Store) -> None:
    def meanwhile(_progress: Progress) -> None:
        with pytest.raises(ModelError, match="another command"):
            fetch(store, endpoint=server.address)

    fetch(store, endpoint=server.address, progress=meanwhile)


def test_a_model_without_a_source_says_how_it_is_brought(store: Store) -> None:
    path = store.root / "manifest.yaml"
    data = yaml.safe_load(path.read_text())
    del data["models"][0]["repo"]
    path.write_text(yaml.safe_dump(data))
    with pytest.raises(ModelMissing, match="models add tiny FOLDER"):
        fetch(Store(store.root))


def test_the_line_of_progress_off_a_terminal_is_one_per_file(server: Server, store: Store) -> None:
    stream = io.StringIO()
    fetch(store, endpoint=server.address, progress=ProgressLine(stream))
    assert stream.getvalue() == "tiny/config.json: 0.0 of 0.0 MB\ntiny/model.bin: 5.1 of 5.1 MB\n"


def test_the_line_of_progress_on_a_terminal_is_rewritten(server: Server, store: Store) -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    stream = Terminal()
    fetch(store, endpoint=server.address, progress=ProgressLine(stream))
    assert stream.getvalue().count("\r\x1b[Ktiny/model.bin: ") >= 2
    assert stream.getvalue().count("\n") == 2
