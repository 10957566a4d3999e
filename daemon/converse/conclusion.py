"""What became of a whole utterance: the reports of its clauses as one result."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from daemon.converse.replies import Replies
from daemon.core.ir import Program
from daemon.core.outcomes import Outcome
from daemon.core.result import Result, ResultOutcome
from daemon.core.trace import Trace
from daemon.core.turn import Report


def conclude(
    text: str,
    program: Program | None,
    reports: Sequence[Report],
    lang: str,
    trace: Trace,
    replies: Replies,
    words: Callable[[Sequence[Outcome]], str],
) -> Result:
    """The result of one utterance.

    Args:
        text: What was said.
        program: How it was understood; None where it was not.
        reports: What became of each clause, in order; at least one.
        lang: The language of the reply.
        trace: Everything that was noted on the way.
        replies: The words.
        words: What became of acts, in this language.
    """
    asked = next((report for report in reports if report.question is not None), None)
    reply = replies.sentences(_told(reports, words), lang)
    outcome = outcome_of(reports)
    trace.note("converse", outcome=outcome, reply=reply)
    return Result(
        text=text,
        outcome=outcome,
        reply=reply,
        lang=lang,
        commands=tuple(command for report in reports for command in report.commands),
        scheduled=tuple(item for report in reports for item in report.scheduled),
        outcomes=tuple(item for report in reports for item in report.outcomes),
        read=tuple(dict.fromkeys(item for report in reports for item in report.read)),
        readings=tuple(dict.fromkeys(item for report in reports for item in report.readings)),
        answer=next((report.reply for report in reports if report.outcome == "query"), None),
        question=asked.reply if asked is not None else None,
        program=program,
        source=program.source if program is not None else None,
        confidence=program.confidence if program is not None else 0.0,
        ms=trace.timings(),
        trace=tuple(trace.events),
    )


def _told(reports: Sequence[Report], words: Callable[[Sequence[Outcome]], str]) -> list[str]:
    """The replies in order; where several in a row say nothing but what is done, that is told together."""
    told: list[str] = []
    done: list[Outcome] = []
    for report in reports:
        its = report.outcomes
        if not (its and all(item.status == "done" for item in its) and report.reply == words(its)):
            told += [words(done), report.reply]
            done = []
        else:
            done += its
    return [item for item in (*told, words(done)) if item]


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
