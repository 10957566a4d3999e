import logging

import pytest
from hypothesis import given
from hypothesis import strategies as st
from paho.mqtt.client import topic_matches_sub

from daemon.mqtt.bus import Message, Routes, valid_filter, valid_topic

LEVELS = st.sampled_from(["a", "b", "", "c d", "$SYS", "灯"])
TOPICS = st.lists(LEVELS, min_size=1, max_size=4).map("/".join).filter(bool)
FILTERS = (
    st.tuples(st.lists(LEVELS | st.just("+"), min_size=1, max_size=4), st.booleans())
    .map(lambda given: "/".join([*given[0], *(["#"] if given[1] else [])]))
    .filter(valid_filter)
)


def message(topic: str) -> Message:
    return Message(topic, b"", retained=False, at=0.0, sequence=1)


@given(st.lists(FILTERS, max_size=8), TOPICS)
def test_a_topic_reaches_exactly_the_filters_that_match_it(filters: list[str], topic: str) -> None:
    routes, heard = Routes(), []
    for index, item in enumerate(filters):
        routes.add(item, lambda _, index=index: heard.append(index))  # type: ignore[misc]
    routes.deliver(message(topic))
    assert sorted(heard) == [index for index, item in enumerate(filters) if topic_matches_sub(item, topic)]
    assert routes.matches(topic) == bool(heard)


@given(st.lists(FILTERS, max_size=8), st.data())
def test_nothing_is_left_of_listeners_that_are_gone(filters: list[str], data: st.DataObject) -> None:
    routes = Routes()
    removers = [(item, routes.add(item, lambda _: None)) for item in filters]
    left = list(filters)
    for item, remove in data.draw(st.permutations(removers)):
        left.remove(item)
        assert remove() == (item not in left)
        assert remove() is False
        assert set(routes.filters) == set(left)
    assert routes._matcher._root._children == {}


def test_a_listener_may_come_and_go_while_a_message_is_delivered() -> None:
    routes, heard = Routes(), []

    def once(_: Message) -> None:
        heard.append("once")
        remove()
        routes.add("a", lambda _: heard.append("late"))

    remove = routes.add("a", once)
    routes.add("a", lambda _: heard.append("other"))
    routes.deliver(message("a"))
    assert heard == ["once", "other"]
    routes.deliver(message("a"))
    assert heard == ["once", "other", "other", "late"]


def test_a_listener_that_raises_is_logged_once_and_the_others_run(caplog: pytest.LogCaptureFixture) -> None:
    routes, heard = Routes(), []

    def broken(_: Message) -> None:
        raise ValueError("broken")

    routes.add("a/+", broken)
    routes.add("a/b", lambda _: heard.append(1))
    with caplog.at_level(logging.DEBUG):
        for _ in range(3):
            routes.deliver(message("a/b"))
    assert heard == [1, 1, 1]
    assert len(caplog.records) == 1
    assert "'a/b'" in caplog.text


@pytest.mark.parametrize("bad", ["", "a/#/b", "a+", "#a", "a/b#", "a\0b", "x" * 65536])
def test_bad_filters(bad: str) -> None:
    assert not valid_filter(bad)
    assert not valid_topic(bad)


@pytest.mark.parametrize("wild", ["+", "#", "a/+/b", "a/#"])
def test_wildcards_are_for_filters_only(wild: str) -> None:
    assert valid_filter(wild)
    assert not valid_topic(wild)
