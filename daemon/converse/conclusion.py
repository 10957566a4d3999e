"""What became of a whole utterance, and what is said without having been asked: reports and notices, put into words."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from msgspec import Struct

from daemon.act.answers import Acted, StillOff
from daemon.converse.words import Speech
from daemon.core.ir import Condition, Program
from daemon.core.messages import Message
from daemon.core.outcomes import Outcome
from daemon.core.result import Notice, Report, Result, ResultOutcome
from daemon.core.trace import Trace
from daemon.core.values import replace


def conclude(
    text: str, program: Program | None, reports: Sequence[Report], lang: str, trace: Trace, speech: Speech
) -> Result:
    """The result of one utterance, of the reports of its clauses in order: at least one."""
    asked = next((report for report in reports if report.question is not None), None)
    answered = next((report for report in reports if report.outcome == "query"), None)
    reply = speech.reply(_told(_decided(program, reports)), lang)
    outcome = outcome_of(reports)
    trace.note("converse", outcome=outcome, reply=reply)
    return Result(
        text=text,
        outcome=outcome,
        reply=reply,
        lang=lang,
        commands=tuple(command for report in reports for command in report.commands),
        scheduled=tuple(
            item if report.waits is None else replace(item, condition=speech.words(report.waits, lang))
            for report in reports
            for item in report.scheduled
        ),
        outcomes=tuple(item for report in reports for item in report.outcomes),
        read=tuple(dict.fromkeys(item for report in reports for item in report.read)),
        readings=tuple(dict.fromkeys(item for report in reports for item in report.readings)),
        answer=speech.reply(answered.said, lang) if answered is not None else None,
        question=speech.reply(asked.said, lang) if asked is not None else None,
        program=program,
        source=program.source if program is not None else None,
        confidence=program.confidence if program is not None else 0.0,
        ms=trace.timings(),
        trace=tuple(trace.events),
    )


def _decided(program: Program | None, reports: Sequence[Report]) -> Sequence[Report]:
    """The reports, without what "otherwise" was not done: that is told by what was."""
    pairs = list(zip(program.clauses, reports, strict=False)) if program is not None else []
    met = [clause.conditions for clause, report in pairs if report.reason != "condition"]
    out = [report for clause, report in pairs if report.reason == "condition" and _opposite(clause.conditions) in met]
    return [report for report in reports if not any(report is item for item in out)]


def _opposite(conditions: tuple[Condition, ...]) -> tuple[Condition, ...] | None:
    return tuple(replace(item, negated=not item.negated) for item in conditions) if len(conditions) == 1 else None


def _told(reports: Sequence[Report]) -> tuple[Message, ...]:
    """What is said, in order; where several in a row say nothing but what is done, that is told together."""
    told: list[Message] = []
    done: list[Outcome] = []
    for at, report in enumerate(reports):
        report = _less_outdone(report, reports[at + 1 :])  # noqa: PLW2901 - as it is told
        its = report.outcomes
        if its and all(item.status == "done" for item in its) and report.said == (Acted(its),):
            done += its
            continue
        told += [Acted(tuple(done))] if done else []
        told += report.said
        done = []
    return (*told, Acted(tuple(done))) if done else tuple(told)


def _less_outdone(report: Report, later: Sequence[Report]) -> Report:
    """The report, without that something is still off to which more was done in the same breath: that tells of it."""
    more = {item.write.entity for other in later for item in other.outcomes}
    said: list[Message] = []
    for message in report.said:
        if isinstance(message, StillOff) and more.intersection(message.entities):
            left = tuple(item for item in message.entities if item not in more)
            said += [replace(message, entities=left)] if left else []
        else:
            said.append(message)
    return replace(report, said=tuple(said))


def outcome_of(reports: Sequence[Report]) -> ResultOutcome:
    """The one word for all clauses together."""
    words = {report.outcome for report in reports}
    if "clarify" in words:
        return "clarify"
    done = words & {"execute", "schedule"}
    if done and "reject" in words:
        return "mixed"
    for word in ("execute", "schedule", "query", "reject", "assistant"):
        if word in words:
            return word
    return "ignore"


class Announcement(Struct, frozen=True):
    """What is said without being asked just now: a shutter that stopped half-way, a timer that rang."""

    satellite: str
    """Where what it is about was said."""
    lang: str
    reply: str
    aloud: bool = True
    """Whether it is spoken; what happens again and again, and goes well, is only shown."""


Announcer = Callable[[Announcement], None]
"""Takes what is to be said. Must neither block nor raise."""


class Announcements:
    """Tells all who listen. One event loop; with nobody listening, nothing is said."""

    def __init__(self, speech: Speech) -> None:
        self._speech = speech
        self._listeners: list[Announcer] = []

    def __call__(self, notice: Notice) -> None:
        """Hands it on, in words."""
        reply = self._speech.reply(notice.said, notice.lang)
        announcement = Announcement(notice.satellite, notice.lang, reply, notice.aloud)
        for listener in tuple(self._listeners) if reply else ():
            listener(announcement)

    def listen(self, listener: Announcer) -> Callable[[], None]:
        """Calls `listener` with each announcement; returns what ends it."""
        self._listeners.append(listener)

        def end() -> None:
            if listener in self._listeners:
                self._listeners.remove(listener)

        return end
