"""What is kept of vectors: whatever became of the file, they are those that the encoder reads."""

import io
import os
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from tests.resolve.meaning.readers import Words, vectors_of

TEXTS = ("tv", "heater", "台灯", "nothing")
ROWS = Words().read(TEXTS)
HALVES = ROWS.astype(np.float16)


def kept(folder: Path) -> Path:
    """The file that was made of `TEXTS`."""
    assert vectors_of(Words(), folder).of(TEXTS) is not None
    (file,) = folder.iterdir()
    return file


def packed(**arrays: Any) -> bytes:
    out = io.BytesIO()
    np.savez(out, **arrays)
    return out.getvalue()


def whole(vectors: Any = HALVES, texts: Any = TEXTS) -> bytes:
    return packed(texts=np.array(texts), vectors=np.array(vectors))


def test_what_is_kept_is_not_read_again(tmp_path: Path) -> None:
    kept(tmp_path)
    words = Words()
    assert vectors_of(words, tmp_path).of(TEXTS) == pytest.approx(ROWS)
    assert words.asked == []


@pytest.mark.parametrize(
    "contents",
    [
        whole(np.ones((1, 7), np.float16)),
        whole(np.ones((4, 7), np.float16)),
        whole(np.ones((3, 4), np.float16) / 2),
        whole(np.ones(4, np.float16)),
        whole(np.float16(1)),
        whole(np.full((4, 4), np.nan, np.float16)),
        whole(np.full((4, 4), 9, np.float16)),
        whole(np.array([["a"] * 4] * 4)),
        whole(np.zeros((4, 4), np.complex64)),
        whole(texts=[1, 2, 3, 4]),
        whole(texts=[TEXTS]),
        whole(texts="tv"),
        packed(texts=np.array(TEXTS, object), vectors=HALVES),
        packed(texts=np.array(TEXTS)),
        packed(vectors=ROWS),
        packed(),
        ROWS.tobytes(),
        b"",
    ],
)
def test_a_file_of_something_else_is_made_anew(contents: bytes, tmp_path: Path) -> None:
    file = kept(tmp_path)
    file.write_bytes(contents)
    words = Words()
    vectors = vectors_of(words, tmp_path)
    assert vectors.of(TEXTS) == pytest.approx(ROWS)
    assert vectors.said("radiator") == pytest.approx(ROWS[1])
    assert words.asked == [*TEXTS, "radiator"]
    assert vectors_of(Words(), tmp_path).of(TEXTS) == pytest.approx(ROWS)
    assert list(tmp_path.iterdir()) == [file]


def flag(contents: bytes, at: int, value: int) -> bytes:
    """A file that says at another place of every entry's head how it is packed."""
    found = bytearray(contents)
    for mark, shift in ((b"PK\x03\x04", 0), (b"PK\x01\x02", 2)):
        start = found.find(mark)
        while start >= 0:
            found[start + at + shift] = value
            start = found.find(mark, start + 4)
    return bytes(found)


@pytest.mark.parametrize(("at", "value"), [(6, 1), (8, 99), (8, 8), (8, 14), (4, 255)])
def test_what_zip_files_may_say_of_themselves_is_no_reason_to_fail(at: int, value: int, tmp_path: Path) -> None:
    file = kept(tmp_path)
    file.write_bytes(flag(file.read_bytes(), at, value))
    assert vectors_of(Words(), tmp_path).of(TEXTS) == pytest.approx(ROWS)


CLEAN = whole()
PLACE = st.integers(0, len(CLEAN) - 1)
Damage = Callable[[bytes], bytes]
CUT = PLACE.map(lambda at: lambda data: data[:at])
CHANGED = st.tuples(PLACE, st.integers(0, 255)).map(
    lambda pair: lambda data: data[: pair[0]] + bytes([pair[1]]) + data[pair[0] + 1 :]
)
LOST = st.tuples(PLACE, st.integers(1, 64)).map(lambda pair: lambda data: data[: pair[0]] + data[pair[0] + pair[1] :])
MORE = st.tuples(PLACE, st.binary(max_size=64)).map(
    lambda pair: lambda data: data[: pair[0]] + pair[1] + data[pair[0] :]
)
ZEROS = st.tuples(PLACE, st.integers(1, 512)).map(
    lambda pair: lambda data: data[: pair[0]] + b"\0" * pair[1] + data[pair[0] + pair[1] :]
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(damages=st.lists(CUT | CHANGED | LOST | MORE | ZEROS, min_size=1, max_size=3))
@example(damages=[lambda data: data[:-1]])
def test_however_the_file_is_damaged_the_vectors_are_those_of_the_encoder(
    damages: list[Damage], tmp_path: Path
) -> None:
    contents = CLEAN
    for damage in damages:
        contents = damage(contents)
    (tmp_path / "meaning-words.npz").write_bytes(contents)
    vectors = vectors_of(Words(), tmp_path)
    assert vectors.of([*TEXTS, "sauna"]) == pytest.approx(Words().read([*TEXTS, "sauna"]))
    assert [file.name for file in tmp_path.iterdir()] == ["meaning-words.npz"]


def test_several_processes_may_write_at_once(tmp_path: Path) -> None:
    every = [vectors_of(Words(), tmp_path) for _ in range(8)]
    start = threading.Barrier(len(every))

    def read(at: int) -> None:
        start.wait(30)
        every[at].of([*TEXTS, *(f"{at} {more}" for more in range(40))])

    threads = [threading.Thread(target=read, args=(at,)) for at in range(len(every))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    words = Words()
    assert vectors_of(words, tmp_path).of(TEXTS) == pytest.approx(ROWS)
    assert words.asked == []
    assert [file.name for file in tmp_path.iterdir()] == ["meaning-words.npz"]


def test_a_disk_that_fails_leaves_no_part_and_what_a_killed_process_left_is_removed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(np, "savez", full)
        assert vectors_of(Words(), tmp_path).of(TEXTS) == pytest.approx(ROWS)
    assert list(tmp_path.iterdir()) == []
    old, new = tmp_path / "meaning-words-old.part", tmp_path / "meaning-words-new.part"
    for part in (old, new):
        part.write_bytes(b"half")
    os.utime(old, (0, time.time() - 86400))
    assert vectors_of(Words(), tmp_path).of(TEXTS) == pytest.approx(ROWS)
    assert {file.name for file in tmp_path.iterdir()} == {"meaning-words.npz", new.name}


def test_half_a_character_in_a_name_spoils_no_other_name(tmp_path: Path) -> None:
    class Strict(Words):
        def read(self, texts: Sequence[str]) -> NDArray[np.float32]:
            for text in texts:
                text.encode()
            return super().read(texts)

    for words in (Strict(), Strict()):
        vectors = vectors_of(words, tmp_path)
        rows = vectors.of(["lamp \ud800", *TEXTS])
        assert rows is not None
        assert rows[1:] == pytest.approx(ROWS)
        assert vectors.said("\udfff") is not None
