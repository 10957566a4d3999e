"""What became of a whole utterance: the reports of its clauses as one result."""

from __future__ import annotations

from collections.abc import Sequence

from daemon.converse.replies import Replies
from daemon.ir import Program
from daemon.result import Result, ResultOutcome
from daemon.trace import Trace
from daemon.turn import Report


def conclude(
    text: str, program: Program | None, reports: Sequence[Report], lang: str, trace: Trace, replies: Replies
) -> Result:
    """The result of one utterance.

    Args:
        text: What was said.
        program: How it was understood; None where it was not.
        reports: What became of each clause, in order; at least one.
        lang: The language of the reply.
        trace: Everything that was noted on the way.
        replies: The words.
    """
    asked = next((report for report in reports if report.question is not None), None)
    reply = replies.sentences([report.reply for report in reports if report.reply], lang)
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
