"""What may be done to a sentence that leaves its meaning, or adds a time, a place or a condition to it."""

from __future__ import annotations

from collections.abc import Sequence

from benchmarks.metamorphic.drafts import DELAYS, NOTHING, PLAIN, SETTINGS, SURE, Draft, Made, Unfit
from benchmarks.metamorphic.homes import SINGLE, Room
from benchmarks.metamorphic.judging import Expected
from benchmarks.metamorphic.programs import DEEDS, OPPOSITE, Act, Ref
from benchmarks.utterances import chance
from daemon.core.values import replace


def plain(draft: Draft) -> Made:
    """An act, as it is."""
    act = draft.harmless()
    return draft.said([act]), draft.expected(act)


def framed(frame: str, draft: Draft) -> Made:
    """A program with something around it, as a `frame` of the phrases says."""
    acts = draft.acts()
    return draft.speaker.around(frame, draft.said(acts, leading=frame == "polite_before")), draft.expected(*acts)


def twice_framed(draft: Draft) -> Made:
    """A program with something before and something after it."""
    acts = draft.acts()
    one = draft.dice.choice(("polite_before", "reason_before", "talk_before"))
    other = draft.dice.choice(("polite_after", "reason_after"))
    inner = draft.speaker.around(other, draft.said(acts, leading=True))
    return draft.speaker.around(one, inner), draft.expected(*acts)


def joined(joint: str, draft: Draft) -> Made:
    """Two to four acts in one sentence."""
    acts = [draft.harmless()]
    for _ in range(draft.dice.choice((1, 1, 1, 2, 3))):
        acts.append(draft.harmless(taken=acts))
    return draft.said(acts, joint), draft.expected(*acts)


def of_sort(forms: Sequence[str], draft: Draft) -> Made:
    """An act of one of these forms, as `Deed` has them."""
    act = draft.act(*(name for name, deed in DEEDS.items() if deed.form in forms))
    return draft.said([act]), draft.expected(act)


def place_front(draft: Draft) -> Made:
    """The place first, then what is to be done."""
    act = _placeable(draft)
    said = draft.speaker.act(act, leading=True, placed=False)
    room = _room_of(act.ref)
    if room is None:
        return draft.speaker.say("place_front", "floor", s=said, floor=_floor(draft, act.ref)), draft.expected(act)
    return draft.speaker.say("place_front", "room", s=said, room=draft.speaker.room(room)), draft.expected(act)


def place_after(draft: Draft) -> Made:
    """What is to be done, then the place."""
    act = _placeable(draft)
    said = draft.speaker.act(act, placed=False)
    number, room = "all" if act.ref.every else "one", _room_of(act.ref)
    if room is None:
        text = draft.speaker.say("place_after", f"{number}_floor", s=said, floor=_floor(draft, act.ref))
    else:
        text = draft.speaker.say("place_after", f"{number}_room", s=said, room=draft.speaker.room(room))
    return text, draft.expected(act)


def _placeable(draft: Draft) -> Act:
    """An act to something with a place that can be said apart from it."""
    act = draft.harmless()
    ref = act.ref
    if ref.every and (ref.room is not None or ref.floor is not None):
        return act
    if len(ref.things) > 1 or ref.only.proper or ref.only.sort in SINGLE:
        raise Unfit
    return act


def _room_of(ref: Ref) -> Room | None:
    return ref.room if ref.every else ref.only.room


def _floor(draft: Draft, ref: Ref) -> str:
    assert ref.floor is not None
    return draft.speaker.floor(ref.floor)


def value_first(draft: Draft) -> Made:
    """The value before the device."""
    act = draft.act(*SETTINGS)
    speaker = draft.speaker
    return speaker.say("value_first", act.name, it=speaker.it(act.ref), n=speaker.value(act)), draft.expected(act)


def repeated(draft: Draft) -> Made:
    """The same order twice, or three times."""
    act = draft.act(*SURE)
    return draft.speaker.around("repeated", draft.said([act])), draft.expected(act)


def same_again(draft: Draft) -> Made:
    """An order, and the same in another room."""
    act, other = draft.alike()
    draft.speaker.generic = False
    text = draft.speaker.say("same_again", s=draft.speaker.act(act, placed=True), room=draft.speaker.room(other.room))
    return text, draft.expected(act, draft.to(act, other))


def misheard(draft: Draft) -> Made:
    """One letter of the name is heard wrongly."""
    act = draft.act(*PLAIN, *SETTINGS, single=True)
    if not draft.speaker.bend(act.ref.only):
        raise Unfit
    return draft.said([act]), replace(draft.expected(act), or_nothing=True)


def later(where: str, draft: Draft) -> Made:
    """An order for a time, which stands at the start, at the end or between device and value."""
    speaker = draft.speaker
    among = speaker.table["when"]["between_acts"] if where == "between" else ()
    act = draft.act(*among)
    if act.deed.risky or act.deed.form in ("by", "bit", "share"):
        raise Unfit
    seconds, when = draft.moment()
    if where == "between":
        text = speaker.act(act, when=when)
    else:
        text = speaker.say("when", where, s=speaker.act(act, leading=where == "start"), when=when)
    return text, Expected({}, ((seconds, draft.expected(act).now),))


def later_half(draft: Draft) -> Made:
    """One order for now and one for a time."""
    act = draft.harmless()
    other = draft.act(*SURE, taken=[act])
    seconds, when = draft.moment()
    speaker = draft.speaker
    said = speaker.act(other, leading=True, placed=True if other.ref.every else None)
    text = speaker.say("when", "later_joint", a=speaker.act(act), b=said, when=when)
    return text, replace(draft.expected(act), later=((seconds, draft.expected(other).now),))


def lasting(draft: Draft) -> Made:
    """Something is switched for a while."""
    act = draft.act("on", "off")
    seconds = draft.dice.choice(DELAYS)
    where = draft.dice.choice(("start", "end"))
    said = draft.speaker.act(act, leading=where == "start")
    text = draft.speaker.say("lasting", where, s=said, d=draft.speaker.span(seconds))
    back = draft.expected(replace(act, name=OPPOSITE[act.name])).now
    return text, replace(draft.expected(act), later=((seconds, back),))


def condition(where: str, draft: Draft) -> Made:
    """An order that depends on how something else stands now."""
    act = draft.harmless()
    watched = [
        item
        for item in draft.home.of("light", "fan", "ac", "tv", "speaker", "curtain", "blind")
        if item not in act.ref.things
    ]
    if not watched:
        raise Unfit
    thing = draft.dice.choice(watched)
    state = str(draft.states[thing.id]["state"])
    holds = chance(draft.dice, 0.5)
    other = {"on": "off", "off": "on", "open": "closed", "closed": "open"}
    speaker = draft.speaker
    words = speaker.say("conditions", "states", state if holds else other[state], it=speaker.it(Ref((thing,))))
    text = speaker.say("conditions", where, s=speaker.act(act, leading=True), c=words)
    return text, draft.expected(act) if holds else NOTHING
