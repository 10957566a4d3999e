"""The sandbox in which foreign templates run: what they may use is listed, what they may spend is counted."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from typing import Any, Final

import jinja2
from jinja2 import Undefined, nodes
from jinja2.runtime import Context, LoopContext
from jinja2.sandbox import ImmutableSandboxedEnvironment

from daemon.errors import TemplateError
from daemon.mqtt.dialects.template_functions import FILTERS, GLOBALS, METHODS, TESTS
from daemon.mqtt.dialects.template_guards import guard_call, measured

MAX_OUTPUT: Final = 4_096
_MAX_DEPTH: Final = 40
_BUDGET: Final = 20_000
"""Steps: nodes of a loop's body, calls, operations."""

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

    intercepted_binops = frozenset(ImmutableSandboxedEnvironment.default_binop_table)

    def __init__(self) -> None:
        super().__init__(autoescape=False, cache_size=0, optimized=False)
        self._left = 0
        self.globals = dict(GLOBALS)
        self.tests = dict(TESTS)
        self.filters = {name: self._charged(function) for name, function in FILTERS.items()}
        self.filters |= {"_turns": self._turns, "_made": measured, "_joined": _joined}

    def made(self, tree: nodes.Template) -> Any:
        """The runnable form of a template that was read.

        Raises:
            TemplateError: it uses what is not listed; with what that is, in words for `Templates.problem`.
        """
        _check(tree)
        _Bound().visit(tree)
        return self.template_class.from_code(self, self.compile(tree), dict(self.globals), None)

    def run(self, template: Any, variables: Mapping[str, object]) -> str:
        """Renders within the budget."""
        self._left = _BUDGET
        pieces: list[str] = []
        length = 0
        for piece in template.generate(**variables):
            length += len(piece)
            if length > MAX_OUTPUT:
                raise TemplateError("needs too much")
            pieces.append(piece)
        return "".join(pieces).strip()

    def spend(self, steps: int) -> None:
        """Takes from the budget.

        Raises:
            TemplateError: it is used up.
        """
        self._left -= steps
        if self._left < 0:
            raise TemplateError("needs too much")

    def call_binop(self, context: Context, operator: str, left: Any, right: Any) -> Any:
        """An operation on values that stay small."""
        self.spend(1)
        guard_call(operator, left, (right,))
        return measured(super().call_binop(context, operator, left, right))

    def getattr(self, obj: Any, attribute: str) -> Any:
        """A key before a method: {"items": 3}.items is 3."""
        if isinstance(obj, dict) and attribute in obj:
            return obj[attribute]
        return super().getattr(obj, attribute)

    def call(__self, __context: Context, __obj: Any, *args: Any, **kwargs: Any) -> Any:  # noqa: N805, PYI063 - as in Jinja
        """Calls what is listed."""
        __self.spend(1)
        owner = getattr(__obj, "__self__", None)
        name = getattr(__obj, "__name__", "")
        if type(owner) in METHODS:
            guard_call(name, owner, (*args, *kwargs.values()))
        elif not any(__obj is one for one in GLOBALS.values()):
            raise TemplateError("calls something that it may not")
        return measured(__context.call(__obj, *args, **kwargs))

    def is_safe_attribute(self, obj: Any, attr: str, value: Any) -> bool:  # noqa: ARG002 - as in Jinja
        """Whether a template may look at this."""
        if isinstance(obj, LoopContext):
            return attr in _LOOP
        return attr in METHODS.get(type(obj), ())

    def is_safe_callable(self, obj: Any) -> bool:  # noqa: ARG002 - as in Jinja
        """`call` has seen to it."""
        return True

    def wrap_str_format(self, value: Any) -> Callable[..., str] | None:  # noqa: ARG002 - as in Jinja
        """`guard_call` sees to it."""
        return None

    def _charged(self, function: Callable[..., Any]) -> Callable[..., Any]:
        marks = {name: getattr(function, name) for name in ("jinja_pass_arg",) if hasattr(function, name)}

        def charged(*args: Any, **kwargs: Any) -> Any:
            self.spend(1)
            return measured(function(*args, **kwargs))

        charged.__dict__.update(marks)
        return charged

    def _turns(self, items: Iterable[Any], steps: int) -> Iterator[Any]:
        for item in items:
            self.spend(steps)
            yield item


def _check(tree: nodes.Node) -> None:
    """Refuses whatever is not listed.

    Raises:
        TemplateError: with what it is, in words for `problem`.
    """
    known = {*GLOBALS, "value", "value_json", "loop", "true", "false", "none"}
    known |= {node.name for node in tree.find_all(nodes.Name) if node.ctx in ("store", "param")}
    queue: list[tuple[nodes.Node, int]] = [(tree, 0)]
    while queue:
        node, depth = queue.pop()
        what = "is nested too deep" if depth > _MAX_DEPTH else _fault(node, known)
        if what is not None:
            raise TemplateError(f"its template {what}")
        queue += [(child, depth + 1) for child in node.iter_child_nodes()]


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


class _Bound:
    """Rewrites a tree from its leaves up."""

    def visit(self, node: nodes.Node) -> nodes.Node:
        for name, value in node.iter_fields():
            if isinstance(value, list):
                setattr(node, name, [self.visit(item) if isinstance(item, nodes.Node) else item for item in value])
            elif isinstance(value, nodes.Node):
                setattr(node, name, self.visit(value))
        if isinstance(node, nodes.For):
            steps = sum(1 for _ in node.find_all(nodes.Node))
            node.iter = _filter(node, node.iter, "_turns", nodes.Const(steps, lineno=node.lineno))
        elif isinstance(node, nodes.Concat):
            return _filter(node, nodes.Tuple(node.nodes, "load", lineno=node.lineno), "_joined")
        elif isinstance(node, nodes.List | nodes.Dict) or (isinstance(node, nodes.Tuple) and node.ctx == "load"):
            return _filter(node, node, "_made")
        return node


def _filter(at: nodes.Node, value: nodes.Node, name: str, *args: nodes.Expr) -> nodes.Filter:
    made = nodes.Filter(value, name, list(args), [], None, None, lineno=at.lineno)
    made.environment = at.environment
    return made


def _joined(parts: Iterable[Any]) -> str:
    texts = [as_text(measured(part)) for part in parts]
    return str(measured("".join(texts)))


def as_text(value: object) -> str:
    """What Jinja would print.

    Raises:
        jinja2.UndefinedError: there is nothing to print.
    """
    if isinstance(value, Undefined):
        raise jinja2.UndefinedError
    return value if isinstance(value, str) else str(value)
