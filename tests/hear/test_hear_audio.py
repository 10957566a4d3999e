from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

import av
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from daemon.core.errors import AudioError
from daemon.hear import audio

if TYPE_CHECKING:
    from numpy.typing import NDArray


def tone(seconds: float, rate: int) -> NDArray[np.float32]:
    time = np.arange(int(seconds * rate)) / rate
    return (0.5 * np.sin(2 * np.pi * 440 * time)).astype(np.float32)


def encode(path: Path, codec: str, rate: int, channels: int) -> None:
    mono = (tone(1.0, rate) * 32767).astype(np.int16)
    with av.open(str(path), "w") as container:
        stream: Any = container.add_stream(codec, rate=rate)
        stream.layout = "mono" if channels == 1 else "stereo"
        frame = av.AudioFrame.from_ndarray(
            np.repeat(mono, channels)[None, :], format="s16", layout="mono" if channels == 1 else "stereo"
        )
        frame.sample_rate = rate
        frame.time_base = Fraction(1, rate)
        frame.pts = 0
        for part in (frame, None):
            for packet in stream.encode(part):
                container.mux(packet)


@pytest.mark.parametrize("channels", [1, 2])
@pytest.mark.parametrize("rate", [8_000, 16_000, 44_100, 48_000])
@pytest.mark.parametrize(("suffix", "codec"), [("wav", "pcm_s16le"), ("flac", "flac"), ("mp3", "libmp3lame")])
def test_any_container_rate_and_channels_become_16_khz_mono(
    tmp_path: Path, suffix: str, codec: str, rate: int, channels: int
) -> None:
    path = tmp_path / f"tone.{suffix}"
    encode(path, codec, rate, channels)

    samples = audio.load(path)

    assert samples.dtype == np.float32
    assert samples.ndim == 1
    assert len(samples) == pytest.approx(16_000, rel=0.12)  # mp3 adds a little at both ends
    spectrum = np.abs(np.fft.rfft(samples[2_000:14_000]))
    assert np.argmax(spectrum) * 16_000 / 12_000 == pytest.approx(440, abs=3)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (None, "no such sound file"),
        (b"", "cannot be read as sound"),
        (b"turn on the lamp\n" * 40, "cannot be read as sound"),
        (b"#EXTM3U\n#EXTINF:9,\nhttp://127.0.0.1:1/x.ts\n", "cannot be read as sound"),
        (b"RIFF\x24\0\0\0WAVEfmt \x10\0\0\0\1\0\1\0\x80\x3e\0\0\0\x7d\0\0\2\0\x10\0data\0\0\0\0", "no sound"),
    ],
    ids=["missing", "empty", "text", "playlist", "no samples"],
)
def test_a_bad_file_is_one_line(tmp_path: Path, content: bytes | None, message: str) -> None:
    path = tmp_path / "clip.wav"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(AudioError, match=message) as caught:
        audio.load(path)
    assert str(path) in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(AudioError, match="not a sound file"):
        audio.load(tmp_path)


def test_a_file_that_breaks_off_is_not_half_heard(tmp_path: Path) -> None:
    path = tmp_path / "tone.flac"
    encode(path, "flac", 16_000, 1)
    path.write_bytes(path.read_bytes()[:-3_000])
    with pytest.raises(AudioError, match="cannot be read as sound"):
        audio.load(path)


def test_a_file_that_is_too_long_is_refused(tmp_path: Path) -> None:
    encode(tmp_path / "long.wav", "pcm_s16le", 16_000, 1)
    with pytest.raises(AudioError, match=r"longer than 0\.5 seconds"):
        audio.load(tmp_path / "long.wav", max_seconds=0.5)


def test_a_file_of_odd_floats_becomes_finite(tmp_path: Path) -> None:
    wild = np.array([np.nan, np.inf, -np.inf, 3.0, 0.25] * 400, "<f4")
    size = wild.nbytes
    header = b"RIFF" + (36 + size).to_bytes(4, "little") + b"WAVEfmt \x10\0\0\0\3\0\1\0"
    header += (16_000).to_bytes(4, "little") + (64_000).to_bytes(4, "little") + b"\4\0\x20\0data"
    (tmp_path / "wild.wav").write_bytes(header + size.to_bytes(4, "little") + wild.tobytes())

    samples = audio.load(tmp_path / "wild.wav")

    assert np.isfinite(samples).all()
    assert np.abs(samples).max() <= 1.0


@given(st.integers(0, 2_000))
def test_frames_hold_every_sample(count: int) -> None:
    samples = np.arange(1, count + 1, dtype=np.float32)
    joined = np.concatenate([*audio.frames(samples), np.zeros(0, np.float32)])
    assert len(joined) % audio.FRAME == 0
    assert np.array_equal(joined[:count], samples)
    assert not joined[count:].any()


@given(st.lists(st.integers(1, 700), min_size=1, max_size=20), st.sampled_from([8_000, 22_050, 44_100, 48_000]))
def test_resampling_in_pieces_loses_nothing(pieces: list[int], rate: int) -> None:
    pieces = [400, *pieces]  # the resampler gives nothing at all for a few samples
    samples = tone(sum(pieces) / rate + 0.001, rate)[: sum(pieces)]
    resampler = audio.Resampler(rate)
    start = 0
    out = []
    for size in pieces:
        out.append(resampler.feed(samples[start : start + size]))
        start += size
    total = sum(map(len, out)) + len(resampler.finish())
    assert total == pytest.approx(len(samples) * 16_000 / rate, abs=2)


def test_level_is_decibels_below_full_scale() -> None:
    assert audio.level(np.zeros(100, np.float32)) == -120.0
    assert audio.level(np.zeros(0, np.float32)) == -120.0
    assert audio.level(np.ones(100, np.float32)) == pytest.approx(0.0)
    assert audio.level(tone(1.0, 16_000)) == pytest.approx(-9.03, abs=0.05)
