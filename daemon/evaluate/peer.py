"""Home Assistant's own grammar, beside which ours is timed: hassil with the sentences of home-assistant-intents."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from daemon.core.ir import Lang

Recognize = Callable[[str], bool]
"""One sentence; whether it was understood."""

_LANGUAGES: dict[Lang, str] = {"en": "en", "zh": "zh-CN"}


def load_peer(home: dict[str, Any], lang: Lang) -> tuple[str, Recognize]:
    """Its name with versions, and its recognizer for this home, called as Home Assistant calls it.

    Args:
        home: A foreign home; its names, areas and floors become hassil's lists.
        lang: Which of its grammars.

    Raises:
        ModuleNotFoundError: it is not installed; it is a dependency of development only.
    """
    from importlib.metadata import version

    from hassil import Intents, TextSlotList, recognize_best
    from home_assistant_intents import get_intents

    language = _LANGUAGES[lang]
    data = get_intents(language)
    assert data is not None, language
    intents = Intents.from_dict(data)
    lists = {
        "name": TextSlotList.from_tuples(
            [
                (name, name, {"domain": device["domain"]})
                for device in home["devices"]
                for name in (device["name"], *device["aliases"])
            ],
            allow_template=False,
            name="name",
        ),
        "area": _names(TextSlotList, home["areas"], "area"),
        "floor": _names(TextSlotList, home["floors"], "floor"),
    }

    def recognize(text: str) -> bool:
        found = recognize_best(text, intents, slot_lists=lists, language=language, best_slot_name="name")
        return found is not None

    label = f"hassil {version('hassil')} + home-assistant-intents {version('home-assistant-intents')}"
    return label, recognize


def _names(slot_list: Any, things: list[dict[str, Any]], name: str) -> Any:
    return slot_list.from_tuples(
        [(text, text) for thing in things for text in (thing["name"], *thing.get("aliases", ()))],
        allow_template=False,
        name=name,
    )
