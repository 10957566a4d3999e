"""What a foreign template is by its mere form, and the sandbox in which it runs: what it may use is listed.

The sandbox keeps a template from reaching or changing anything. What a template may spend is bounded elsewhere: what is
simple can't take long (`simple`), and everything else is rendered in a process that may be killed (`template_worker`).
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any, Final

import jinja2
from jinja2 import nodes
from jinja2.runtime import Context, LoopContext
from jinja2.sandbox import ImmutableSandboxedEnvironment
from msgspec import Struct

from daemon.core.errors import TemplateError
from daemon.core.values import whole
from daemon.mqtt.dialects.template_functions import FILTERS, GLOBALS, METHODS, TESTS

MAX_SOURCE: Final = 4_096
"""Characters; the longest that firmware is known to send has about 1,500."""
_MAX_OUTPUT: Final = 4_096
_MAX_DEPTH: Final = 40
_MAX_BITS: Final = 256

_ALLOWED: Final = (
    *(nodes.Template, nodes.Output, nodes.TemplateData, nodes.Name, nodes.Const, nodes.Getattr, nodes.Getitem),
    *(nodes.Slice, nodes.Call, nodes.Keyword, nodes.Filter, nodes.Test, nodes.Compare, nodes.Operand, nodes.Add),
    *(nodes.Sub, nodes.Mul, nodes.Div, nodes.FloorDiv, nodes.Mod, nodes.Pow, nodes.Concat, nodes.Not, nodes.Neg),
    *(nodes.Pos, nodes.And, nodes.Or, nodes.CondExpr, nodes.List, nodes.Tuple, nodes.Dict, nodes.Pair, nodes.If),
    *(nodes.For, nodes.Assign),
)
_HIDDEN: Final = frozenset({"self", "super", "caller", "varargs", "kwargs"})
_LOOP: Final = frozenset(
    {"index", "index0", "revindex", "revindex0", "first", "last", "length", "previtem", "nextitem"}
)


class Sandbox(ImmutableSandboxedEnvironment):
    """Jinja with what is in `template_functions`, and nothing else."""

    def __init__(self) -> None:
        super().__init__(autoescape=False, cache_size=0, optimized=False)
        self.globals = dict(GLOBALS)
        self.tests = dict(TESTS)
        self.filters = dict(FILTERS)

    def read(self, source: str) -> nodes.Template:
        """A template as a tree.

        Raises:
            TemplateError: it is none, or uses what is not listed; in words for `Templates.problem`.
        """
        if len(source) > MAX_SOURCE:
            raise TemplateError(f"its template is longer than {MAX_SOURCE} characters")
        try:
            tree = self.parse(source)
            _check(tree)
        except TemplateError:
            raise
        except Exception as error:  # noqa: BLE001 - whatever a foreign template breaks, only it is useless
            raise TemplateError(f"its template is wrong: {str(error)[:80]}") from None
        return tree

    def made(self, source: str) -> jinja2.Template:
        """The runnable form of a template.

        Raises:
            TemplateError: as `read`, or Python can't compile it.
        """
        try:
            return self.template_class.from_code(self, self.compile(self.read(source)), dict(self.globals), None)
        except (jinja2.TemplateError, SyntaxError, RecursionError, ValueError) as error:
            raise TemplateError(f"its template is wrong: {str(error)[:80]}") from None

    def getattr(self, obj: Any, attribute: str) -> Any:
        """A key before a method: {"items": 3}.items is 3."""
        if isinstance(obj, dict) and attribute in obj:
            return obj[attribute]
        return super().getattr(obj, attribute)

    def is_safe_attribute(self, obj: Any, attr: str, value: Any) -> bool:  # noqa: ARG002 - as in Jinja
        """Whether a template may look at this."""
        if isinstance(obj, LoopContext):
            return attr in _LOOP
        return attr in METHODS.get(type(obj), ())

    def is_safe_callable(self, obj: Any) -> bool:
        """Whether it is listed."""
        # Jinja wraps str.format, and keeps it from looking at attributes.
        method = getattr(obj, "__wrapped__", obj)
        return type(getattr(method, "__self__", None)) in METHODS or any(obj is one for one in GLOBALS.values())


class SmallSandbox(Sandbox):
    """The one for `simple` templates, on the event loop: numbers alone are multiplied, and none grows large."""

    intercepted_binops = frozenset({"*", "%"})

    def call_binop(self, context: Context, operator: str, left: Any, right: Any) -> Any:
        """An operation on two numbers.

        Raises:
            TemplateError: they are none, or too large.
        """
        for item in (left, right):
            if not isinstance(item, int | float) or (isinstance(item, int) and item.bit_length() > _MAX_BITS):
                raise TemplateError("multiplies what is no number")
        return super().call_binop(context, operator, left, right)


def rendered(template: jinja2.Template, variables: Mapping[str, object]) -> str | None:
    """The text that a template makes, without white space around it; None where it is too long."""
    pieces: list[str] = []
    left = _MAX_OUTPUT
    for piece in template.generate(**variables):
        left -= len(piece)
        if left < 0:
            return None
        pieces.append(piece)
    return whole("".join(pieces).strip())


def _check(tree: nodes.Node) -> None:
    """Refuses whatever is not listed.

    Raises:
        TemplateError: with what it is, in words for `problem`.
    """
    # Its depth before anything else: Jinja itself looks for nodes by recursion.
    found: list[nodes.Node] = []
    queue: list[tuple[nodes.Node, int]] = [(tree, 0)]
    while queue:
        node, depth = queue.pop()
        if depth > _MAX_DEPTH:
            raise TemplateError("its template is nested too deep")
        found.append(node)
        queue += [(child, depth + 1) for child in node.iter_child_nodes()]
    known = {*GLOBALS, "value", "value_json", "loop", "true", "false", "none"}
    known |= {node.name for node in found if isinstance(node, nodes.Name) and node.ctx in ("store", "param")}
    for node in found:
        if (what := _fault(node, known)) is not None:
            raise TemplateError(f"its template {what}")


def _fault(node: nodes.Node, known: Collection[str]) -> str | None:
    """What is wrong with one node, in words."""
    match node:
        case _ if not isinstance(node, _ALLOWED):
            return f"uses {type(node).__name__.lower()}"
        case nodes.For(recursive=True):
            return "loops over itself"
        case nodes.Filter(name=name) if name not in FILTERS:
            return f"uses the filter {name[:40]!r}"
        case nodes.Test(name=name) if name not in TESTS:
            return f"uses the test {name[:40]!r}"
        case nodes.Name(name=name) if name.startswith("_") or name in _HIDDEN:
            return f"uses {name[:40]!r}"
        case nodes.Call(node=nodes.Name(name=name)) if name not in known:
            return f"calls {name[:40]!r}, which only Home Assistant knows"
        case nodes.Call() | nodes.Filter() | nodes.Test() if node.dyn_args or node.dyn_kwargs:
            return "passes arguments by the bundle"
    return None


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


class Reading(Struct, frozen=True):
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
