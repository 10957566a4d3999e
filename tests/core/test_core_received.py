"""What others wrote may hold halves of characters: none gets in, from wherever it comes."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from daemon.act.audit import Audit
from daemon.app import open_home
from daemon.core.turn import Utterance
from daemon.core.values import loads, whole
from daemon.discovery.homeassistant import HomeAssistantSource
from daemon.discovery.zigbee2mqtt.source import items
from daemon.lists.lists import Store as ListStore
from daemon.memory.memory import Store
from daemon.mqtt.bus import Message
from daemon.mqtt.dialects.payloads import parse
from daemon.mqtt.dialects.template_sandbox import Sandbox, rendered
from daemon.mqtt.dialects.templates import parsed
from daemon.schedule.agenda import Store as LaterStore
from daemon.simulate.home import SimulatedHome
from daemon.simulate.memory import MemoryBroker
from tests.conversations.house import home_of
from tests.rules import GRAMMAR, REPLIES

HALVES = ["\ud800", "\udfff", "a\ud83db", "\ude00\ud83d", "\ud800\ud800"]
ANY = st.text(st.characters(codec=None), max_size=20)


def fit(value: Any) -> bool:
    """Whether all of it can be written down."""
    try:
        return bool(json.dumps(value, ensure_ascii=False).encode())
    except UnicodeEncodeError:
        return False


def kept_in(folder: Path) -> list[str]:
    return sorted(item.name for item in folder.glob("*.db*"))


@given(st.recursive(ANY, lambda inner: st.lists(inner) | st.dictionaries(ANY, inner), max_leaves=8))
def test_whatever_is_read_can_be_written(value: Any) -> None:
    assert fit(loads(json.dumps(value)))
    if fit(value):
        assert loads(json.dumps(value)) == value


@given(ANY)
def test_what_can_be_written_is_left_alone(text: str) -> None:
    assert fit(whole(text))
    assert whole(text) == text or not fit(text)


@pytest.mark.parametrize("half", HALVES)
def test_none_comes_from_the_broker(half: str) -> None:
    said = json.dumps({"state": "ON", half: [half]}).encode()
    found = [parse(said), parsed(said), [item.content for item in items(b"[" + said + b"]") or ()]]
    assert all(found)
    assert all(map(fit, found))
    lamp = json.dumps({"name": f"Lamp {half}", "uniq_id": half, "cmd_t": "x/set", "stat_t": "x"}).encode()
    source = HomeAssistantSource("homeassistant", ())
    source.take(Message("homeassistant/switch/lamp/config", lamp, retained=True, at=0.0, sequence=1))
    assert all(fit(item.entity.names) for item in source.finds())
    assert list(source.finds())


def test_no_template_makes_one() -> None:
    made = rendered(Sandbox().made(r"{{ 'a\ud800' }}"), {})
    assert made
    assert fit(made)


async def test_none_comes_from_who_speaks_and_all_that_was_kept_stays(tmp_path: Path) -> None:
    home, broker = home_of("stakes"), MemoryBroker()
    audit, store = Audit(tmp_path / "audit.db"), Store(tmp_path / "learnt.db")
    async with (
        SimulatedHome(broker.connect(), home.entities, home.simulation),
        open_home(
            home,
            broker.connect(),
            grammar=GRAMMAR,
            replies=REPLIES,
            audit=audit,
            store=store,
            kept=(LaterStore(tmp_path / "later.db"), ListStore(tmp_path / "lists.db")),
        ) as opened,
    ):
        said = [
            "call the hall lamp Gizmo",
            *("turn on gizmo {}", "call the desk lamp Zorro {}", "add milk {} to the shopping list"),
            *("remind me to phone {} in ten minutes", "{}", "turn off the desk lamp"),
        ]
        for sentence in said:
            result = await opened.pipeline.handle(Utterance(sentence.replace("{}", HALVES[0])))
            assert fit(result.reply)
            assert "could not write" not in result.reply
        await audit.flush()
        assert {row["device"] for row in await audit.rows()} >= {"desk_lamp"}
    assert kept_in(tmp_path) == ["audit.db", "later.db", "learnt.db", "lists.db"]
    assert "gizmo" in str(await Store(tmp_path / "learnt.db").load()).casefold()
