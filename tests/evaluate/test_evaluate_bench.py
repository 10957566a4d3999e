"""The benchmarks run and say what they measured; never how fast it was."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.speed.crowd import time_crowd, time_flood
from benchmarks.speed.footprint import measure_footprint
from benchmarks.speed.measures import (
    load_peer,
    read_sentences,
    time_passing,
    time_publishing,
    time_resolving,
    time_understanding,
)
from benchmarks.speed.sample import sample_home
from daemon.core.errors import ConfigError
from daemon.core.ir import Lang
from daemon.home.foreign import load_foreign
from daemon.system.config import ROOT, Paths
from daemon.understand.grammar import Grammar
from tests.brokers import mosquitto_path
from tests.rules import GRAMMAR, REPLIES

BOTH: tuple[Lang, ...] = ("en", "zh")


@pytest.fixture(scope="module")
def grammar() -> Grammar:
    return GRAMMAR


@pytest.mark.parametrize("lang", BOTH)
def test_a_sample_home_has_distinct_names_and_grows(lang: Lang) -> None:
    small, large = sample_home(100, lang), sample_home(2500, lang)
    assert small["devices"] == large["devices"][:100]
    for key in ("id", "name"):
        assert len({device[key] for device in large["devices"]}) == 2500
    assert len([item for item in load_foreign(small).entities if item.kind == "device"]) == 100


@pytest.mark.parametrize("lang", BOTH)
def test_the_sentences_are_about_the_sample_home(lang: Lang) -> None:
    """Hearken and the peer understand most of them, so that their times mean something."""
    texts = read_sentences(ROOT / "benchmarks" / f"sentences.{lang}.txt")
    assert len(texts) == len(set(texts)) >= 60
    _, understands = load_peer(sample_home(100, lang), lang)
    assert sum(map(understands, texts)) > len(texts) / 2


def test_broken_sentence_files(tmp_path: Path) -> None:
    (tmp_path / "none.txt").write_text("# nothing\n\n", encoding="utf-8")
    with pytest.raises(ConfigError, match="holds no sentences"):
        read_sentences(tmp_path / "none.txt")
    with pytest.raises(ConfigError, match="cannot be read"):
        read_sentences(tmp_path / "nowhere.txt")


def test_understanding_is_timed_on_both_sides(grammar: Grammar, tmp_path: Path) -> None:
    (tmp_path / "sentences.en.txt").write_text("turn on the kitchen ceiling light\n", encoding="utf-8")
    (tmp_path / "sentences.zh.txt").write_text("打开厨房顶灯\n", encoding="utf-8")
    timings = list(time_understanding(grammar, tmp_path, rounds=1))
    assert [("hearken" in item.what, "hassil" in item.what) for item in timings] == [(True, False), (False, True)] * 4
    assert {item.note for item in timings} == {"1 of 1 understood"}
    assert all(item.ms.count == 1 for item in timings)
    ours, theirs = timings[:2]
    assert (ours.ratio, theirs.ratio) == (None, theirs.ms.p50 / ours.ms.p50)


def test_resolving_is_timed_at_every_size(grammar: Grammar) -> None:
    timings = list(time_resolving(grammar, rounds=1, sizes=(100, 300)))
    assert [item.what.split(", ")[2] for item in timings] == ["100 devices", "300 devices"] * 2
    assert all(item.note.startswith("resolved, resolved") for item in timings)


def test_what_talk_names_is_timed_at_every_size(grammar: Grammar, tmp_path: Path) -> None:
    (tmp_path / "not_for_us.en.txt").write_text("oh that kitchen sealing light\nwhat a day\n", encoding="utf-8")
    (tmp_path / "not_for_us.zh.txt").write_text("哎呀厨房顶登呀\n今天真累\n", encoding="utf-8")
    timings = list(time_passing(grammar, tmp_path, sizes=(100, 300)))
    assert [item.what.split(", ")[1:] for item in timings] == [
        [lang, size] for lang in BOTH for size in ("100 devices", "300 devices")
    ]
    assert {item.note for item in timings} == {"1 of 2 one thing"}
    assert {item.ms.count for item in timings} == {2}


async def test_publishing_is_timed_in_memory_and_over_loopback(grammar: Grammar) -> None:
    timings = [item async for item in time_publishing(grammar, REPLIES, rounds=1)]
    assert len(timings) == 8
    assert {item.ms.count for item in timings} == {2}


async def test_a_footprint_is_that_of_a_process_of_its_own() -> None:
    found = await measure_footprint(Paths.of().rules, times=1)
    assert all(value > 0 for value in found.to_dict().values())


async def test_a_large_home_is_told_of_and_timed(grammar: Grammar) -> None:
    replies = REPLIES
    first, states = [timing async for timing in time_crowd(grammar, replies, rounds=2, size=20)]
    assert "20 devices" in first.what
    assert "of processor" in first.note
    assert states.ms.count == 2


async def test_commands_are_timed_in_a_flood(grammar: Grammar) -> None:
    mosquitto_path()
    replies = REPLIES
    quiet, flooded = [timing async for timing in time_flood(grammar, replies, rounds=1, flood=500)]
    assert quiet.ms.count == flooded.ms.count == 2
    assert not flooded.note.startswith("0 ")
