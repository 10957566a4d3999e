"""The tree of a whole utterance -> `Program`. Nothing here knows a language: the grammar's marks say it all."""

from __future__ import annotations

from dataclasses import replace
from typing import cast

from daemon.ir import (
    ATTRIBUTES,
    Attribute,
    Clause,
    Condition,
    DialogueMove,
    Intent,
    Kind,
    Lang,
    Parameter,
    Program,
    QueryKind,
    Target,
    Unit,
)
from daemon.understand.build_act import build_act
from daemon.understand.build_condition import build_condition, build_conditions, state_of, state_word
from daemon.understand.build_lesson import build_lesson, topic
from daemon.understand.build_move import build_move
from daemon.understand.build_reach import about_condition, otherwise, reach
from daemon.understand.build_sets import every, left, sharing, sparing
from daemon.understand.build_target import build_target, plays_of, scoped, target_from
from daemon.understand.build_value import CLIMATES, KIND_ATTRIBUTE, PERCENT, Said, build_value
from daemon.understand.build_when import build_timer, build_when
from daemon.understand.corrections import instead
from daemon.understand.matchers import Node
from daemon.understand.parts import Parts, Reading, parts_of

SURE_ENOUGH = 0.5
"""Below this a reading is not acted on without the model or the user."""

_UNSAID = 0.9
"""How sure an "it" is that nobody said: "close the curtain and set the volume to 30" may be about the player."""
_SURE = {"low": 0.3, "half": 0.5, "some": 0.6}
_SURE_IMPLICIT = 0.3
_SURE_CHAT = 0.2
_SURE_EITHER = 0.3
"""One thing or another: only the speaker knows which."""
_SURE_ELLIPSIS = 0.9
_LIT = ("brightness", "color", "color_temp")


def build_program(tree: Node, reading: Reading, lang: Lang, text: str) -> Program | None:
    """The program that a tree says; None where it says nothing that can be meant."""
    clauses: list[Clause] = []
    fronts: list[bool] = []
    missing: str | None = None
    parts = parts_of(tree)
    try:
        for node in parts.all("Clause", "Move"):
            inner = parts_of(node)
            if node.rule.startswith("Move"):
                clauses.append(Clause("dialogue", dialogue=build_move(inner, reading)))
                fronts.append(False)
                continue
            built = _clause(inner, reading, clauses)
            if built is None:
                return None
            if _taken_back(inner):
                return _nothing_meant(lang, text)
            missing = missing or inner.mark("missing")
            if _asks_value(inner, built[-1]):
                missing, built = "value", [*built[:-1], _valueless(built[-1])]
            clauses = built
            fronts = [*fronts, inner.has("front")][: len(built)]
            fronts += [False] * (len(built) - len(fronts))
    except (ValueError, OverflowError):  # such as a time of day that there is not
        return None
    if not clauses:
        return None
    confidence = round(min(clause.confidence for clause in clauses), 3)
    return Program(
        reach(clauses, fronts),
        source="grammar",
        lang=lang,
        text=text,
        confidence=confidence,
        needs_fallback=missing is not None or confidence < SURE_ENOUGH,
        missing=missing,
    )


def _clause(parts: Parts, reading: Reading, before: list[Clause]) -> list[Clause] | None:
    """The clauses so far with this one, which may correct or complete the one before."""
    made = _made(parts, reading)
    if "clause" in parts.marks.get("replace", ()):
        done = before
        for inner in parts.parts["Clause"]:
            built = _clause(parts_of(inner), reading, done)
            if built is None:
                return None
            done = built
        # "open the curtain, no, close it": what was spoken of first
        first = done[len(before)]
        return [*before, replace(first, targets=instead(made.targets, first.targets)), *done[len(before) + 1 :]]
    if parts.has("then"):
        meant = about_condition(made)
        if meant is None:
            return None
        made = meant
    if parts.has("else"):
        giver = next((clause for clause in reversed(before) if clause.conditions), None)
        opposite = otherwise(made, giver) if giver is not None else None
        return [*before, opposite] if opposite is not None else None
    if parts.has("again"):
        return _leaning(made, before, parts)
    if (
        (made.negated or parts.has("keep"))
        and before
        and (spared := sparing(made, before[-1], kept=parts.has("keep"))) is not None
    ):
        return [*before[:-1], spared]
    if not made.targets and made.parameter is not None and before and before[-1].targets and made.intent == "act":
        made = replace(made, targets=(Target(reference="it", confidence=_UNSAID),))
    return [*before, made]


def _leaning(made: Clause, before: list[Clause], parts: Parts) -> list[Clause] | None:
    """The clauses with one that leans on the last of them."""
    if not before or before[-1].intent != "act":
        return None
    made = _completed(made, before[-1], parts)
    if before[-1].action == "turn_on" and made.action == "set" and made.parameter and made.parameter.attribute in _LIT:
        before = before[:-1]  # "on at 50 percent": a light with a brightness is on
    return [*before, made]


def _made(parts: Parts, reading: Reading) -> Clause:
    inner = [parts_of(node) for node in parts.parts.get("Target", ())]
    targets, either = _meant(parts, inner, reading)
    scoped_in = [parts_of(node) for node in parts.parts.get("Scope", ())]
    targets, excluded = _taken_away(targets, _excluded([parts, *inner, *scoped_in], reading))
    if parts.has("every"):
        targets = every(targets)
    targets = left(sharing(targets), excluded)
    scopes = [build_target(node, reading) for node in parts.parts.get("Scope", ())]
    if scopes:
        targets = tuple(scoped(target, scopes[-1]) for target in targets) or (
            (scopes[-1],)
            if parts.mark("action") or parts.mark("query") or parts.has("again") or parts.word("MORE")
            else ()
        )
    if scopes and parts.mark("action") == "start":
        targets = tuple(replace(target, cleans=True) for target in targets)
    if (marked := parts.mark("kind")) is not None:
        # "light up the house" is about its lights, though it does not say so.
        targets = tuple(_of_kind(target, cast("Kind", marked)) for target in targets)
    if (plays := plays_of(parts, reading)) is not None and _intent(parts) == "act":
        targets = tuple(replace(target, plays=plays) for target in targets or (Target(kind="media_player"),))
    kind = targets[0].kind if targets else None
    said = build_value(parts, reading, kind)
    trigger = parts.has("trigger") or any(parts_of(item).has("trigger") for item in parts.parts.get("Condition", ()))
    when = build_when(parts.parts.get("When", []), reading, trigger=trigger)
    conditions = tuple(
        condition
        for item in parts.parts.get("Condition", ())
        for condition in build_conditions(item, reading, unless=parts.has("unless"))
    )
    clause = Clause(
        intent=_intent(parts),
        targets=targets,
        excluded=excluded,
        conditions=conditions,
        condition_join="or" if parts.mark("join") == "or" else "and",
        when=when,
        implicit=parts.has("implicit"),
        negated=parts.has("negated"),
        either=either and not parts.has("negated"),
        confidence=_least_sure(targets, excluded, conditions),
    )
    if when is not None and (when.days or (trigger and conditions)) and clause.intent == "act":
        clause = replace(clause, intent="rule")
    return _sure(_filled(clause, parts, said, reading), parts)


def _taken_away(
    targets: tuple[Target, ...], excluded: tuple[Target, ...]
) -> tuple[tuple[Target, ...], tuple[Target, ...]]:
    """As "the hall light and the fan, never mind the fan": what was taken back is neither meant nor spared."""
    kept = tuple(target for target in targets if target not in excluded)
    return (kept, tuple(target for target in excluded if target not in targets)) if kept else (targets, excluded)


def _valueless(clause: Clause) -> Clause:
    assert clause.parameter is not None
    return replace(clause, parameter=replace(clause.parameter, value=None, unit=None))


def _of_kind(target: Target, kind: Kind) -> Target:
    if target.kind is not None or target.mention is not None or target.reference not in (None, "here"):
        return target
    return replace(target, kind=kind, quantifier="all")


def _filled(clause: Clause, parts: Parts, said: Said, reading: Reading) -> Clause:
    """The clause with what its intent adds."""
    if clause.intent == "query":
        return _query(clause, parts, said, reading)
    if clause.intent == "timer":
        return replace(clause, timer=build_timer(parts.parts["Timer"][0], reading), when=None)
    if clause.intent == "help":
        topic, which = parts.part("Topic"), parts.mark("query")
        return replace(
            clause, topic=reading.text(topic) if topic else None, query=cast("QueryKind", which) if which else None
        )
    if clause.intent == "learn":
        return replace(clause, lesson=build_lesson(parts, reading))
    if parts.mark("move") == "correct":
        fix = build_act(clause, parts, said)
        return replace(fix, dialogue=DialogueMove("correct", text=_words_of(fix)))
    if clause.intent == "dialogue":
        choice = parts.part("Choice")
        return replace(
            clause, targets=(), dialogue=DialogueMove("select", text=reading.text(choice) if choice else None)
        )
    if clause.intent == "chat":
        return clause
    return _titled(_wished(build_act(clause, parts, said), parts, reading), parts, reading)


def _titled(clause: Clause, parts: Parts, reading: Reading) -> Clause:
    """The clause with the title of what is to be played."""
    if (node := parts.part("Title")) is None:
        return clause
    word = parts.word("MEDIA")
    sort = cast("Unit | None", reading.lexicon.value("MEDIA", reading.text(word)) if word is not None else None)
    title = parts_of(node).part("Title") or node
    return replace(clause, action="play", parameter=Parameter("media", "set", reading.text(title), sort))


def _wished(clause: Clause, parts: Parts, reading: Reading) -> Clause:
    """The clause with what the speaker likes best as its value, where that was said."""
    if (node := parts.part("Wish")) is None:
        return clause
    wish = topic(reading.text(node), reading)
    attribute = wish if wish in ATTRIBUTES else "source"
    return replace(clause, action="set", parameter=Parameter(cast("Attribute", attribute), wish=wish))


def _intent(parts: Parts) -> Intent:
    if (marked := parts.mark("intent")) is not None:
        return cast("Intent", marked)
    if "Timer" in parts.parts:
        return "timer"
    if parts.has("query"):
        return "query"
    return "scene" if parts.mark("action") == "activate" else "act"


def _words_of(fix: Clause) -> str | None:
    """The words that a correction names something by."""
    target = fix.targets[0] if fix.targets else None
    return (target.mention or " ".join((*target.areas, *target.floors)) or None) if target is not None else None


def _query(clause: Clause, parts: Parts, said: Said, reading: Reading) -> Clause:
    clause = replace(clause, action="query", query=cast("QueryKind", parts.mark("query")))
    if parts.has("compare"):
        inner = build_condition(parts.node, reading, unless=False)
        targets = clause.targets or ((inner.target,) if inner.target != Target() else ())
        return replace(clause, targets=targets, conditions=(inner,), parameter=Parameter(inner.attribute))
    asserted = state_of(parts, reading) if clause.query not in ("value", "where") else None
    if parts.has("not") and not clause.negated:
        clause = replace(clause, negated=True)
    if asserted is not None and asserted[1] in ("home", "not_home") and not clause.targets:
        return replace(clause, parameter=Parameter("location", value=asserted[1]))
    if asserted is not None:
        sensed = clause.targets[0].senses if clause.targets else None
        if sensed is not None and asserted[0] == "state":
            asserted = sensed, asserted[1]
        kind = clause.targets[0].kind if clause.targets and asserted[0] == "state" else None
        return replace(clause, parameter=Parameter(asserted[0], value=state_word(asserted[1], kind)))
    if said.attribute is not None:
        return replace(clause, parameter=Parameter(said.attribute))
    if clause.query == "value" and clause.targets and clause.targets[0].senses is not None:
        return replace(clause, parameter=Parameter(clause.targets[0].senses))
    if clause.query == "where":
        return replace(clause, parameter=Parameter("location"))
    return clause


def _excluded(places: list[Parts], reading: Reading) -> tuple[Target, ...]:
    """What is excepted, in the clause or inside one of its targets."""
    found: list[Target] = []
    for node in (node for parts in places for node in parts.parts.get("Except", ())):
        inner = parts_of(node)
        targets = inner.parts.get("Target")
        found += [build_target(item, reading) for item in targets] if targets else [build_target(node, reading)]
    return tuple(found)


def _meant(parts: Parts, inner: list[Parts], reading: Reading) -> tuple[tuple[Target, ...], bool]:
    """The targets, less those that were taken back; and whether only one of them is meant, nobody knows which."""
    said = tuple(target_from(item, reading) for item in inner)
    either = any(item.has("either") for item in (parts, *inner))
    if either and _intent(parts) in ("act", "scene"):
        said = tuple(single for target in said for single in _in_each_place(target))
    swapped = parts.part("Instead")
    if swapped is None:
        return said, either and len(said) > 1 and _intent(parts) in ("act", "scene")
    others = tuple(build_target(node, reading) for node in parts_of(swapped).parts.get("Target", ()))
    others = instead(said, others)
    return ((*said, *others), True) if parts.has("ask") else (others, False)


def _in_each_place(target: Target) -> tuple[Target, ...]:
    """As "the lights in the kitchen or the hall": those of the one, those of the other."""
    return tuple(replace(target, areas=(area,)) for area in target.areas) if len(target.areas) > 1 else (target,)


def _taken_back(parts: Parts) -> bool:
    """Whether a sentence ends as "... never mind"."""
    inner = (parts_of(node) for node in parts.parts.get("Clause", ()))
    return "cancel" in parts.marks.get("replace", ()) or any(_taken_back(item) for item in inner)


def _nothing_meant(lang: Lang, text: str) -> Program:
    return Program((Clause("dialogue", dialogue=DialogueMove("cancel")),), source="grammar", lang=lang, text=text)


def _asks_value(parts: Parts, clause: Clause) -> bool:
    """Whether it is as "make it blue, no, perhaps green, ask me"."""
    return parts.has("ask") and not clause.either and clause.parameter is not None


def _completed(clause: Clause, before: Clause, parts: Parts) -> Clause:
    """A clause without a verb of its own, after the one that it leans on."""
    targets = clause.targets or before.targets
    if len(targets) == len(before.targets) == 1 and targets[0].kind is targets[0].mention is None:
        # "... and blue in the hall": of the kind that was said before
        targets = (replace(targets[0], kind=before.targets[0].kind, quantifier=before.targets[0].quantifier),)
    sure = round(min(clause.confidence, _SURE_ELLIPSIS), 3)
    if parts.has("action"):
        return replace(clause, targets=targets, confidence=sure)
    action, parameter = before.action, before.parameter
    if clause.parameter is not None and clause.parameter.value is not None:
        attribute = clause.parameter.attribute
        if attribute == "value":
            attribute = _main_value(before, clause.parameter.value)
        action, parameter = "set", replace(clause.parameter, attribute=attribute)
        if parameter.unit is None and parameter.op == "set" and isinstance(parameter.value, float):
            parameter = replace(parameter, unit="%" if attribute in PERCENT else None)
        if (
            not clause.targets
            and before.action == "set"
            and before.parameter
            and before.parameter.attribute == attribute
        ):
            sure = _SURE_EITHER  # "to green and red": it can only be one of them
    return replace(clause, targets=targets, action=action, parameter=parameter, confidence=sure)


def _of_what(clause: Clause) -> bool:
    """Whether a bare number is given to a place: "set the bedroom to 19" may be about its heating or its lights."""
    parameter = clause.parameter
    return (
        parameter is not None
        and parameter.attribute == "value"
        and parameter.op == "set"
        and parameter.unit is None
        and isinstance(parameter.value, float)
        and bool(clause.targets)
        and all((item.areas or item.floors) and not (item.kind or item.mention) for item in clause.targets)
    )


def _main_value(before: Clause, value: float | str) -> Attribute:
    """What a second value is about, where it does not say: "the AC to 22 on low" is of two attributes."""
    kind = before.targets[0].kind if before.targets else None
    if isinstance(value, str) and kind in CLIMATES:
        return "speed"
    return before.parameter.attribute if before.parameter is not None else KIND_ATTRIBUTE.get(kind or "", "value")


def _least_sure(targets: tuple[Target, ...], excluded: tuple[Target, ...], conditions: tuple[Condition, ...]) -> float:
    sure = 1.0
    for target in (*targets, *excluded):
        sure = min(sure, target.confidence)
    for condition in conditions:
        sure = min(sure, condition.confidence)
    return sure


def _sure(clause: Clause, parts: Parts) -> Clause:
    """The clause with its confidence: that of its least sure slot."""
    sure = _least_sure(clause.targets, clause.excluded, clause.conditions)
    if parts.has("sure"):
        sure = min(sure, _SURE[parts.mark("sure") or "some"])
    if parts.has("ask") and not clause.either and clause.parameter is None:
        sure = min(sure, _SURE["low"])
    if clause.implicit:
        sure = min(sure, _SURE_IMPLICIT)
    if _of_what(clause):
        sure = min(sure, _SURE["half"])
    if clause.intent == "chat":
        sure = _SURE_CHAT
    sure = round(sure, 3)
    return clause if sure == clause.confidence else replace(clause, confidence=sure)
