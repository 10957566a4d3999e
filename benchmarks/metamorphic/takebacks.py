"""What may be done to a sentence that takes some of it back: corrections, exceptions, a "don't", a "never mind"."""

from __future__ import annotations

from benchmarks.metamorphic.drafts import NOTHING, PLAIN, SETTINGS, SURE, Draft, Made, Unfit
from benchmarks.metamorphic.homes import Thing
from benchmarks.metamorphic.programs import OPPOSITE, Ref, every, random_value
from benchmarks.utterances import chance
from daemon.core.values import replace


def correct_value(draft: Draft) -> Made:
    """Another value after all."""
    act = draft.act(*SETTINGS)
    wrong = replace(act, value=random_value(act.name, draft.dice))
    if wrong.value == act.value:
        raise Unfit
    said = draft.speaker.act(wrong)
    return draft.speaker.say("correct_value", s=said, n=draft.speaker.value(act)), draft.expected(act)


def correct_target(draft: Draft) -> Made:
    """Another device after all."""
    act = draft.act(*SURE, single=True)
    others = [item for item in draft.home.of(*act.deed.sorts) if item.names != act.ref.only.names]
    if not others:
        raise Unfit
    wrong = draft.to(act, draft.dice.choice(others))
    said = draft.speaker.act(wrong)
    return draft.speaker.say("correct_target", s=said, it=draft.speaker.it(act.ref)), draft.expected(act)


def correct_place(draft: Draft) -> Made:
    """The one in another room after all."""
    act, other = draft.alike()
    draft.speaker.generic = False
    said = draft.speaker.act(draft.to(act, other), placed=True)
    text = draft.speaker.say("correct_place", s=said, room=draft.speaker.room(act.ref.only.room))
    return text, draft.expected(act)


def correct_deed(draft: Draft) -> Made:
    """Something else altogether after all, or the opposite."""
    act = draft.act(*PLAIN, single=True)
    opposite = replace(act, name=OPPOSITE[act.name])
    wrong = opposite if chance(draft.dice, 0.5) else draft.harmless(taken=[act])
    speaker = draft.speaker
    return speaker.say("correct_deed", a=speaker.act(wrong), b=speaker.act(act, leading=True)), draft.expected(act)


def exception(draft: Draft) -> Made:
    """All of a sort but one, or but those of a room."""
    act = draft.act(*PLAIN, *SETTINGS)
    whole = every(draft.home, draft.dice, act.ref.only)
    if whole is None:
        raise Unfit
    act = draft.ready(replace(act, ref=whole))
    spared, words = _spared(draft, whole)
    where = draft.dice.choice(("front", "end"))
    said = draft.speaker.act(act, leading=where == "front")
    rest = replace(act, ref=replace(whole, things=tuple(item for item in whole.things if item not in spared)))
    return draft.speaker.say("exception", where, s=said, it=words), draft.expected(rest)


def _spared(draft: Draft, whole: Ref) -> tuple[list[Thing], str]:
    thing = draft.dice.choice(whole.things)
    near = [item for item in whole.things if item.room == thing.room]
    if whole.room is None and len(near) < len(whole.things) and chance(draft.dice, 0.4):
        return near, draft.speaker.say("exception", "rooms", room=draft.speaker.room(thing.room))
    return [thing], draft.speaker.it(Ref((thing,)))


def denied(frame: str, draft: Draft) -> Made:
    """Nothing is to be done: a `frame` around an order that says so."""
    act = draft.act()
    leading = frame != "cancelled"
    return draft.speaker.around(frame, draft.said([act], leading=leading)), NOTHING


def negated_part(draft: Draft) -> Made:
    """One order, and one that is not to be carried out."""
    act = draft.harmless()
    other = draft.act(taken=[act])
    speaker = draft.speaker
    text = speaker.say("negated_part", a=speaker.act(act, leading=True), b=speaker.act(other, leading=True))
    return text, draft.expected(act)


def risky(draft: Draft) -> Made:
    """Something that must be asked back, alone or with something else."""
    acts = [draft.act("unlock")]
    if chance(draft.dice, 0.5):
        acts.append(draft.harmless(taken=acts))
        draft.dice.shuffle(acts)
    return draft.said(acts), draft.expected(*acts)
