"""Jinja templates out of untrusted payloads: rendered with little power, a bounded size and a bounded number of steps.

What a template may use is listed, everything else is refused when it is read: no imports, macros or recursion, only
methods, filters and functions that neither change nor reach anything. Loops pay for each turn from a budget, every
value that is made is measured, and a template that has used up its budget once is not rendered again.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from functools import lru_cache
from typing import Any, Final

import jinja2
from jinja2 import nodes

from daemon.errors import TemplateError
from daemon.mqtt.dialects.template_sandbox import Sandbox, as_text

MAX_SOURCE: Final = 4_096
"""Characters; the longest that firmware is known to send has about 1,500."""
_MAX_INPUT: Final = 64 * 1024
_CACHED: Final = 4_096


class Templates:
    """Renders value and command templates. Not thread-safe."""

    def __init__(self) -> None:
        self._environment = Sandbox()
        self._read = lru_cache(_CACHED)(self._compile)
        self._exhausted: set[str] = set()

    def problem(self, source: str) -> str | None:
        """Why this template can't be used, or None."""
        found = self._read(source)
        return found if isinstance(found, str) else None

    def render(self, source: str, **variables: object) -> str | None:
        """The text that a template makes of its variables, without white space around it; None where it fails."""
        template = self._read(source)
        if isinstance(template, str) or source in self._exhausted:
            return None
        if isinstance(template, tuple):
            found = _walk(variables.get("value_json"), template)
            return None if found is None else as_text(found)
        try:
            return self._environment.run(template, variables)
        except TemplateError:
            if len(self._exhausted) < _CACHED:
                self._exhausted.add(source)
            return None
        except Exception:  # noqa: BLE001 - whatever a foreign template does wrong, it says nothing
            return None

    def value(self, source: str, text: str, parsed: object) -> object:
        """What a value template makes of a payload; None where it says nothing.

        Args:
            source: The template; empty: the payload itself.
            text: The payload.
            parsed: The payload as JSON, None where it is none.

        Returns:
            The value itself where the template is a mere path into the JSON, else text.
        """
        if not source:
            return text
        template = self._read(source)
        if isinstance(template, tuple):
            return _walk(parsed, template)
        variables = {"value": text} if parsed is None else {"value": text, "value_json": parsed}
        found = self.render(source, **variables)
        return None if found in (None, "", "None") else found

    def path(self, source: str) -> tuple[str | int, ...] | None:
        """Where in the JSON a template looks, if that is all it does: `{{ value_json.a[0] }}` is ("a", 0)."""
        found = self._read(source)
        return found if isinstance(found, tuple) else None

    def _compile(self, source: str) -> Any:
        """A compiled template, a path, or why it is neither."""
        if len(source) > MAX_SOURCE:
            return f"its template is longer than {MAX_SOURCE} characters"
        try:
            tree = self._environment.parse(source)
            path = _path(tree)
            return self._environment.made(tree) if path is None else path
        except TemplateError as error:
            return str(error)
        except (jinja2.TemplateError, SyntaxError, RecursionError, MemoryError, ValueError, AssertionError) as error:
            return f"its template is wrong: {str(error)[:80]}"


def _path(tree: nodes.Template) -> tuple[str | int, ...] | None:
    output = tree.body[0] if len(tree.body) == 1 else None
    parts = [item for item in output.nodes if not _blank(item)] if isinstance(output, nodes.Output) else []
    found: list[str | int] = []
    node = parts[0] if len(parts) == 1 else None
    while isinstance(node, nodes.Getattr | nodes.Getitem):
        key = node.attr if isinstance(node, nodes.Getattr) else getattr(node.arg, "value", None)
        if not isinstance(key, str | int) or isinstance(key, bool):
            return None
        found.append(key)
        node = node.node
    return tuple(reversed(found)) if found and isinstance(node, nodes.Name) and node.name == "value_json" else None


def _blank(node: nodes.Node) -> bool:
    return isinstance(node, nodes.TemplateData) and not node.data.strip()


def _walk(value: object, path: Iterable[str | int]) -> object:
    for key in path:
        try:
            value = value[key]  # type: ignore[index]
        except (TypeError, LookupError):
            return None
    return value


def parsed(payload: bytes) -> tuple[str, object] | None:
    """A payload as text and as JSON (None where it is none); None where it is no text, or too long."""
    if len(payload) > _MAX_INPUT:
        return None
    try:
        text = payload.decode("utf-8")
    except UnicodeDecodeError:
        return None
    try:
        return text, json.loads(text)
    except (ValueError, RecursionError):
        return text, None
