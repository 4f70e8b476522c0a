"""Files fetched from a server that keeps its own rules of ranges, and breaks them."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from dlsetup.act import fetching
from dlsetup.act.fetching import Fetcher, arrived, session_for
from dlsetup.catalog.watch import ByteWatch
from dlsetup.model.bundle import Fetched
from dlsetup.model.errors import StepFailed

BODY = bytes(range(256)) * 4000
MANNERS = (
    "good",
    "no-ranges",
    "cuts",
    "other-part",
    "gone",
    "busy-once",
    "other-file",
    "endless",
    "password",
)


class Server:
    """One file, and the manner in which it is served."""

    def __init__(self) -> None:
        self.manner = "good"
        self.asked: list[str | None] = []
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _answer_for(self))
        self._server.daemon_threads = True
        threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True).start()
        self.place = f"127.0.0.1:{self._server.server_address[1]}"
        self.address = f"http://{self.place}/numpy-1-py3-none-any.whl"

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()


def _answer_for(server: Server) -> type[BaseHTTPRequestHandler]:
    class Answer(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            asked = self.headers.get("Range")
            server.asked.append(asked)
            start = int(asked.removeprefix("bytes=").rstrip("-")) if asked else 0
            manner = server.manner
            if manner == "gone":
                return self._send(404, b"")
            if manner == "busy-once" and len(server.asked) == 1:
                return self._send(503, b"")
            if manner == "password" and not self.headers.get("Authorization"):
                return self._send(401, b"")
            if manner == "other-file":
                return self._send(200, BODY[::-1])
            if manner == "endless":
                return self._send(200, BODY * 2)
            if start >= len(BODY):
                return self._send(416, b"")
            if asked and manner == "other-part":
                return self._send(206, BODY[start + 7 :], part=start + 7)
            if asked and manner != "no-ranges":
                return self._send(206, BODY[start:], part=start, cut=manner == "cuts")
            return self._send(200, BODY, cut=manner == "cuts")

        def _send(self, status: int, body: bytes, *, part: int = 0, cut: bool = False) -> None:
            self.send_response(status)
            self.send_header("Content-Length", str(len(body)))
            if status == 206:
                self.send_header("Content-Range", f"bytes {part}-{len(BODY) - 1}/{len(BODY)}")
            self.end_headers()
            self.wfile.write(body[: 200_000 if cut else len(body)])
            self.close_connection = cut

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002
            """Quiet."""

    return Answer


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    monkeypatch.setattr(threading.Event, "wait", lambda self, timeout=None: self.is_set())
    found = Server()
    yield found
    found.close()


def wanted(server: Server, **more: object) -> Fetched:
    about = {
        "name": "numpy-1-py3-none-any.whl",
        "address": server.address,
        "digest": hashlib.sha256(BODY).hexdigest(),
        "size": len(BODY),
    }
    return Fetched(**{**about, **more})  # type: ignore[arg-type]


def fetch(folder: Path, item: Fetched, watch: ByteWatch | None = None, **logins: tuple[str, str]) -> Path:
    carried = Fetcher(folder, session_for({}), watch or ByteWatch(), logins).fetch([item])
    place = folder / "wheels" / item.name
    assert carried[0].sha256 == hashlib.sha256(place.read_bytes()).hexdigest()
    assert carried[0].size == place.stat().st_size
    return place


def begun(folder: Path, data: bytes) -> Path:
    partial = folder / "wheels/numpy-1-py3-none-any.whl.partial"
    partial.parent.mkdir()
    partial.write_bytes(data)
    return partial


@pytest.mark.parametrize("manner", ["good", "no-ranges", "cuts", "busy-once"])
@pytest.mark.parametrize("there", [0, 1, 300_000, len(BODY), len(BODY) + 5])
def test_is_whole_in_the_end(manner: str, there: int, server: Server, tmp_path: Path) -> None:
    server.manner = manner
    if there:
        begun(tmp_path, (BODY + b"more!")[:there])
    place = fetch(tmp_path, wanted(server))
    assert place.read_bytes() == BODY
    assert list(place.parent.iterdir()) == [place]


def test_goes_on_from_the_byte_where_it_broke_off(server: Server, tmp_path: Path) -> None:
    begun(tmp_path, BODY[:300_000])
    assert arrived(tmp_path, wanted(server)) == 300_000
    fetch(tmp_path, wanted(server))
    assert server.asked == ["bytes=300000-"]


def test_breaks_off_many_times_as_long_as_bytes_come(server: Server, tmp_path: Path) -> None:
    server.manner = "cuts"
    assert fetch(tmp_path, wanted(server)).read_bytes() == BODY
    assert len(server.asked) == len(BODY) // (200_000 // fetching.PIECE * fetching.PIECE) + 1


@pytest.mark.parametrize("algorithm", ["sha256", "sha512"])
def test_beginning_of_another_file_is_thrown_away(algorithm: str, server: Server, tmp_path: Path) -> None:
    begun(tmp_path, b"x" * 300_000)
    digest = hashlib.new(algorithm, BODY).hexdigest()
    place = fetch(tmp_path, wanted(server, algorithm=algorithm, digest=digest))
    assert place.read_bytes() == BODY


def test_what_is_there_is_not_fetched_again(server: Server, tmp_path: Path) -> None:
    fetch(tmp_path, wanted(server))
    fetch(tmp_path, wanted(server))
    assert len(server.asked) == 1


@pytest.mark.parametrize(
    ("manner", "said"),
    [
        ("other-file", "is not the file of the lock"),
        ("gone", "the server says 404"),
        ("endless", "more than the 1024000 bytes"),
        ("password", "the server says 401"),
    ],
)
def test_what_cannot_be_had_is_named(manner: str, said: str, server: Server, tmp_path: Path) -> None:
    server.manner = manner
    with pytest.raises(StepFailed, match=said) as failure:
        fetch(tmp_path, wanted(server))
    assert "numpy-1-py3-none-any.whl" in failure.value.message
    assert failure.value.hint
    assert not (tmp_path / "wheels/numpy-1-py3-none-any.whl").exists()


def test_answers_that_stay_wrong_come_to_an_end(server: Server, tmp_path: Path) -> None:
    server.manner = "other-part"
    begun(tmp_path, BODY[:1000])
    with pytest.raises(StepFailed, match="another part"):
        fetch(tmp_path, wanted(server))
    assert len(server.asked) == fetching.ATTEMPTS


def test_nobody_listens(server: Server, tmp_path: Path, nobody_listens: str) -> None:
    with pytest.raises(StepFailed, match="no connection"):
        fetch(tmp_path, wanted(server, address=f"{nobody_listens}numpy.whl"))


def test_password_of_the_index_is_used_there(server: Server, tmp_path: Path) -> None:
    server.manner = "password"
    assert fetch(tmp_path, wanted(server), **{server.place: ("me", "pass word")}).read_bytes() == BODY


@pytest.mark.parametrize("form", ["path", "address"])
def test_files_of_this_machine_are_copied(form: str, server: Server, tmp_path: Path) -> None:
    source = tmp_path / "a file #1%20.whl"
    source.write_bytes(BODY)
    address = str(source) if form == "path" else source.as_uri()
    assert fetch(tmp_path, wanted(server, address=address)).read_bytes() == BODY
    assert source.read_bytes() == BODY


def test_watch_hears_every_byte_once(server: Server, tmp_path: Path) -> None:
    class Ear(ByteWatch):
        def __init__(self) -> None:
            self.heard: list[int] = []
            self.ended: list[str] = []

        def at(self, name: str, done: int, total: int) -> None:
            assert total == len(BODY)
            self.heard.append(done)

        def end(self, name: str) -> None:
            self.ended.append(name)

    ear = Ear()
    fetch(tmp_path, wanted(server), ear)
    assert ear.heard == sorted(ear.heard)
    assert ear.heard[-1] == len(BODY)
    assert ear.ended == ["numpy-1-py3-none-any.whl"]


@pytest.mark.parametrize("size", [None, len(BODY)])
def test_size_need_not_be_known(size: int | None, server: Server, tmp_path: Path) -> None:
    from dlsetup.model.record import UNKNOWN

    assert fetch(tmp_path, wanted(server, size=UNKNOWN if size is None else size)).read_bytes() == BODY
