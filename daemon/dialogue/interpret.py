"""What an utterance means as the answer to a pending question. Pure: the caller keeps the dialogue."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Literal

from daemon.core.ir import (
    Action,
    Clause,
    DialogueMove,
    Fix,
    Inquiry,
    Lesson,
    Order,
    Parameter,
    Program,
    Target,
    Timer,
)
from daemon.core.questions import DEED, Answer, Question
from daemon.core.resolution import deed_of
from daemon.core.values import replace
from daemon.dialogue.amending import amended
from daemon.dialogue.leaning import points_back
from daemon.dialogue.moves import at_stake, filled, from_correction, from_move, told_again
from daemon.dialogue.options import besides, is_another, partly, recognise
from daemon.dialogue.second_thoughts import answer_instead
from daemon.dialogue.which import Tongue, which_and_how
from daemon.home.names import has_han
from daemon.home.registry import Registry
from daemon.understand.normalize import plain_text

_WAYS: dict[Action | None, bool] = {"turn_on": True, "open": True, "turn_off": False, "close": False}
_HAN = re.compile(r"[\u4e00-\u9fff]")
_FEW = 2


def interpret(
    question: Question, said: str, text: str, readings: Sequence[Program], tongue: Tongue, registry: Registry
) -> Answer:
    """What was `said`, normalized `text` with its `readings`, means as the answer to `question`.

    Where something is at stake, only a yes that can mean nothing else is one: all else is a new utterance, or misheard.
    """
    if question.kind == "confirm" and _is_yes(question, said, tongue, registry):
        return Answer("yes", question.options)
    answer = _interpreted(question, text, readings, tongue, registry)
    if answer.kind in ("misheard", "other"):
        answer = _and_more(question, said, text, answer, tongue, registry) or answer
    if question.kind == "confirm" and answer.kind == "yes" and at_stake(question, registry):
        return Answer("misheard")
    move = _move(readings[0] if readings else None)
    return replace(answer, always=True) if move is not None and (move.always or move.move == "always") else answer


def _and_more(
    question: Question, said: str, text: str, answer: Answer, tongue: Tongue, registry: Registry
) -> Answer | None:
    """What an answer that says more comes to; what is a command of its own without a yes stays one."""
    begun = any(head.yes and not head.weak for head in tongue.heads.of(said)) or _spares(question, answer.program)
    several = answer.program is not None and len(answer.program.clauses) > 1 and not points_back(answer.program)
    planned = not several and (isinstance(question.clause, Timer) or question.clause.when is not None)
    may_be = begun or answer.kind == "misheard" or planned
    return amended(question, said, text, tongue, registry) if may_be else None


def _spares(question: Question, said: Program | None) -> bool:
    """Whether it only says what is to be left out: "turn everything off?" - "don't turn off the kettle"."""
    clause = said.sole if said is not None else None
    if not isinstance(clause, Order) or clause.action != question.clause.action:
        return False
    return clause.negated and all(target.reference is None for target in clause.targets)


def _is_yes(question: Question, said: str, tongue: Tongue, registry: Registry) -> bool:
    """Whether it is a yes, or a yes and the very act that was asked about: "yes, open it"."""
    if tongue.consent.given(said):
        return True
    rest = tongue.consent.behind(said)
    again = tongue.read(rest) if rest is not None else ()
    # Nothing may be left out of it as a filler: "yeah right, open it" is none.
    return bool(again) and again[0].text == rest and told_again(question, again[0], registry, tongue.thresholds)


def _interpreted(
    question: Question, text: str, readings: Sequence[Program], tongue: Tongue, registry: Registry
) -> Answer:
    best = readings[0] if readings else None
    answer = (
        _named(question, text, tongue, registry)
        or _remark(question, best, text, registry)
        or _same_verb(question, best)
        or _consent(question, best)
        or _value(question, best)
        or which_and_how(question, best, text, tongue.read, tongue.essence, registry)
        or _options(question, best, text, tongue, registry)
        or (_end_of_sentence(question, best, text, tongue) if question.kind == "rest" else None)
        or _something_new(best, tongue)
        or _end_of_sentence(question, best, text, tongue)
    )
    if answer is not None:
        return answer
    whole = best is not None and _move(best) is None and tongue.is_sure(best)
    return Answer("other", program=best) if whole else Answer("misheard")


def _remark(question: Question, best: Program | None, text: str, registry: Registry) -> Answer | None:
    """Yes, no, the second one, whichever, and second thoughts."""
    move = _move(best)
    if best is None or move is None:
        return None
    if move.move == "correct":
        return from_correction(question, best, move, text, registry)
    return from_move(question, move, registry)


def _same_verb(question: Question, best: Program | None) -> Answer | None:
    """As "open it" or 开, the answer to "shall I open it?": a yes, or what is no yes at all."""
    if question.kind != "confirm" or best is None or best.missing != "target" or len(best.clauses) != 1:
        return None
    ways = (_WAYS.get(best.clauses[0].action), _WAYS.get(question.clause.action))
    if None in ways:
        return None
    return Answer("yes", question.options) if ways[0] == ways[1] else Answer("no")


def _consent(question: Question, best: Program | None) -> Answer | None:
    """The act itself, told again, as a yes."""
    again = question.kind == "confirm" and best is not None and _says_again(best, question.clause)
    return Answer("yes", question.options) if again else None


def _value(question: Question, best: Program | None) -> Answer | None:
    """As "change it to blue", the answer to "to what?"."""
    clause = best.sole if best is not None else None
    if not question.takes_value or not isinstance(clause, Order) or clause.parameter is None:
        return None
    asked = question.clause.parameter
    if clause.parameter.value is None or (
        asked is not None and clause.parameter.attribute not in ("value", asked.attribute)
    ):
        return None
    if any(target.reference is None and target != Target() for target in clause.targets):
        return None  # it names what it is about: that may be something else
    return filled(question, DialogueMove("value", value=clause.parameter.value, unit=clause.parameter.unit))


def _options(question: Question, best: Program | None, text: str, tongue: Tongue, registry: Registry) -> Answer | None:
    """What names one of the options, or all of them, and says little else: talk that mentions one is no answer."""
    if question.kind != "choose":
        return None
    if best is not None and _means_all(best, question.clause):
        return Answer("chosen", question.options)
    if best is not None and (numbered := _by_number(best, question.options, registry)):
        return Answer("chosen", numbered)
    chosen = recognise(text, question.options, registry, question.kinds)
    rest = besides(text, chosen, registry, question.kinds, misheard=False)
    if len(chosen) == 1 and not rest.strip():
        return Answer("chosen", chosen)  # nothing but its name, whatever else that may say: 插座三
    if _another_command(best, question.clause, tongue):
        return None
    chosen = chosen or partly(tongue.essence(text), question.options, registry)
    if not chosen or (best is None and _is_talk(tongue.essence(besides(text, chosen, registry, question.kinds)))):
        return None
    if len(chosen) == 1:
        return Answer("chosen", chosen)
    return Answer("narrowed", chosen) if len(chosen) < len(question.options) else None


def _named(question: Question, text: str, tongue: Tongue, registry: Registry) -> Answer | None:
    """Of several that are named the options, each by its own name; else all of it in place of what was asked about.

    None where one is named that may be an option.
    """
    targets = tongue.named(text) if question.kind == "choose" else ()
    if len(targets) == 1 and not is_another(targets[0], question.options, registry):
        return None
    meant: list[Target] = []
    chosen: dict[str, None] = {}
    for target in targets:
        words = " ".join((*target.areas, target.mention or ""))
        found = recognise(words, question.options, registry, question.kinds)
        one = len(found) == 1 and not is_another(target, question.options, registry)
        chosen |= dict.fromkeys(found if one else ())
        meant.append(replace(target, mention=registry[found[0]].names[0], kind=None) if one else target)
    if not targets or len(chosen) == len(targets):
        return Answer("chosen", tuple(chosen)) if targets else None
    whole = answer_instead(question, Fix("correct", text=text, targets=tuple(meant)))
    return Answer("target", program=whole) if whole is not None else None


def _is_talk(rest: str) -> bool:
    """Whether so much is left that it is no answer: of one word, or two characters, nothing is made."""
    return len(rest.split()) > 1 or len(_HAN.findall(rest)) > _FEW


def _something_new(best: Program | None, tongue: Tongue) -> Answer | None:
    """What can only be something new: a need, "undo that", or a command that names what it is about."""
    if best is None:
        return None
    first = best.clauses[0]
    if isinstance(first, DialogueMove):
        return Answer("other", program=best) if first.move == "undo" else None
    sure = tongue.is_sure(best) and best.missing is None
    named = any(target.mention is not None or target.kind is not None for target in first.targets)
    new = first.implicit or (sure and named and isinstance(first, Order | Inquiry | Lesson))
    return Answer("other", program=best) if new else None


def _end_of_sentence(question: Question, best: Program | None, text: str, tongue: Tongue) -> Answer | None:
    """The broken-off sentence with the answer as its end: "turn on" + "the hall lamp".

    Where only a name was understood, a verb may be the answer: "the hall lamp" - "turn on".

    Where it still lacks something else ("set the" + "hall lamp"), that is asked about next.
    """
    if question.kind not in ("target", "value", "rest"):
        return None
    kind: Literal["target", "value"] = "value" if question.kind == "value" else "target"
    begun = _less_repeated(question.program.text, text)
    orders = [(begun, text)]
    if (
        question.reason == DEED and best is not None and best.missing == "target"
    ):  # "turn on" - "the hall lamp"; "the hall lamp" - "off"
        orders.insert(0, (text, begun))
    joints = (" ", "") if has_han(text) else (" ",)
    texts = dict.fromkeys(plain_text(joint.join(parts)) for parts in orders for joint in joints)
    found = [program for whole in texts for program in tongue.read(whole)]
    if question.kind == "rest":
        found = [program for program in found if not tongue.thresholds.is_doubtful(program.confidence)]
    for program in found:
        complete = program.missing is None and not program.needs_fallback
        if complete and not isinstance(program.clauses[0], DialogueMove):
            return Answer(kind, program=replace(program, source="dialogue"))
    for program in found:
        if program.missing not in (None, question.program.missing):
            return Answer(kind, program=replace(program, source="dialogue"))
    return None


def _less_repeated(begun: str, text: str) -> str:
    """The beginning less the words that its end says again: "close the blinds in the" + "in the study"."""
    words, more = begun.split(), text.split()
    for size in range(min(len(words), len(more)) - 1, 0, -1):
        if words[-size:] == more[:size]:
            return " ".join(words[:-size])
    return begun


def _move(program: Program | None) -> DialogueMove | None:
    first = program.sole if program is not None else None
    return first if isinstance(first, DialogueMove) else None


def _same_deed(best: Program, asked: Clause) -> Order | None:
    """All that is said, where that is the deed that was asked about."""
    said = best.sole
    return said if isinstance(said, Order) and deed_of(said) == deed_of(asked) else None


def _means_all(best: Program, asked: Clause) -> bool:
    """Whether it is as "turn them both on", which says of every option what was asked about."""
    said = _same_deed(best, asked)
    these = said is not None and [item.reference for item in said.targets] == ["them"]
    return said is not None and these and said.parameter == asked.parameter


def _says_again(best: Program, asked: Clause) -> bool:
    """Whether it is as "yes, unlock it": the very act that was asked about, of nothing else."""
    said = _same_deed(best, asked)
    if said is None or not said.is_plain or not all(target.points for target in said.targets):
        return False
    return _is_that(said.parameter, asked.parameter)


def _is_that(said: Parameter | None, asked: Parameter | None) -> bool:
    """Whether it is the same value, or as "a bit louder" the same way where nobody said how much."""
    if said is None or asked is None or asked.value is not None or said.unit not in (None, "step"):
        return said == asked
    return said.attribute in ("value", asked.attribute) and said.op == asked.op in ("increase", "decrease")


def _by_number(best: Program, options: Sequence[str], registry: Registry) -> tuple[str, ...]:
    """The option that is called so with its number, which alone might be a value: "socket two"."""
    clause = best.clauses[0]
    value = clause.parameter.value if clause.parameter is not None else None
    mention = clause.targets[0].mention if len(clause.targets) == 1 else None
    if len(best.clauses) > 1 or clause.action != "set" or mention is None or not isinstance(value, int | float):
        return ()
    called = {f"{mention} {value:g}", f"{mention}{value:g}"}
    found = tuple(item for item in options if called & {name.casefold() for name in registry[item].names})
    return found if len(found) == 1 else ()


def _another_command(best: Program | None, asked: Clause, tongue: Tongue) -> bool:
    """Whether this is a whole command that names its own target, though it may name one of the options too.

    "Turn on the one in the study" still answers "which one?"; "turn on the hall light" says for itself what it means.
    """
    if best is None or not tongue.is_sure(best):
        return False
    clause = best.clauses[0]
    if len(best.clauses) > 1 or isinstance(clause, Inquiry):
        return True
    if not isinstance(clause, Order) or clause.is_scene or clause.action is None:
        return False
    named = any(target.mention is not None or target.kind is not None for target in clause.targets)
    return named or deed_of(clause) != deed_of(asked)
