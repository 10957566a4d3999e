"""What a template is, by its mere form: a path into the payload, something simple, or something that may take long."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from jinja2 import nodes

from daemon.core.errors import TemplateError
from daemon.mqtt.dialects.template_sandbox import Sandbox

_MOST_NODES: Final = 100
_LONGEST_SEPARATOR: Final = 8

_PARTS: Final = (
    *(nodes.Template, nodes.Output, nodes.TemplateData, nodes.Name, nodes.Const, nodes.Getattr, nodes.Getitem),
    *(nodes.Slice, nodes.Keyword, nodes.Compare, nodes.Operand, nodes.Add, nodes.Sub, nodes.Mul, nodes.Div),
    *(nodes.FloorDiv, nodes.Mod, nodes.Concat, nodes.Not, nodes.Neg, nodes.Pos, nodes.And, nodes.Or, nodes.CondExpr),
    *(nodes.List, nodes.Tuple, nodes.Dict, nodes.Pair, nodes.If),
)
_FILTERS: Final = frozenset(
    {"abs", "bool", "capitalize", "d", "default", "first", "float", "iif", "int", "is_defined", "is_number", "join"}
    | {"length", "lower", "round", "string", "trim", "upper"}
)
_TESTS: Final = frozenset(
    {"defined", "undefined", "none", "string", "number", "integer", "float", "boolean", "true", "false", "mapping"}
    | {"is_number", "in", "eq", "ne", "lt", "le", "gt", "ge", "equalto", "==", "!=", "<", "<=", ">", ">="}
)
_METHODS: Final = frozenset({"split", "lower", "upper", "strip", "startswith", "endswith", "get"})


@dataclass(frozen=True, slots=True)
class Reading:
    """What is known of a template before it is rendered."""

    problem: str = ""
    """Why it can't be used."""
    path: tuple[str | int, ...] | None = None
    """Where in the JSON it looks, if that is all it does: `{{ value_json.a[0] }}` is ("a", 0)."""
    simple: bool = False
    """Each of its parts is evaluated once at most, and takes time in proportion to what it is given, and so does what
    comes of it: no loops, no names of its own, no regular expressions; at most one thing that makes texts longer."""
    timed: bool = False
    """It looks at the clock: what it makes of a payload is not always the same."""


def reading(source: str, sandbox: Sandbox) -> Reading:
    """Reads a template, without rendering it."""
    try:
        tree = sandbox.read(source)
    except TemplateError as error:
        return Reading(str(error))
    named = {node.name for node in tree.find_all(nodes.Name)}
    return Reading("", _path(tree), _simple(tree), bool({"now", "utcnow"} & named))


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


def _simple(tree: nodes.Template) -> bool:
    found = [tree, *tree.find_all(nodes.Node)]
    joins = sum(1 for node in found if isinstance(node, nodes.Filter) and node.name == "join")
    return len(found) <= _MOST_NODES and joins <= 1 and all(map(_quick, found))


def _quick(node: nodes.Node) -> bool:
    match node:
        case nodes.Filter(name="join"):
            between = [*node.args, *(item.value for item in node.kwargs)]
            texts = [item.value for item in between if isinstance(item, nodes.Const)]
            return len(texts) == len(between) and all(len(str(text)) <= _LONGEST_SEPARATOR for text in texts)
        case nodes.Filter(name=name):
            return name in _FILTERS
        case nodes.Test(name=name):
            return name in _TESTS
        case nodes.Call(node=nodes.Getattr(attr=name)):
            return name in _METHODS
    return isinstance(node, _PARTS)
