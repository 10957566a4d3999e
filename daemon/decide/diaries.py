"""What calendars in the home say, beside what Hearken itself is to do: "what are my plans" may mean either."""

from __future__ import annotations

from daemon.act import answers
from daemon.converse.answering import Answerer
from daemon.converse.replies import Replies
from daemon.core.ir import Clause, Parameter
from daemon.core.turn import Access, Judged
from daemon.core.values import replace
from daemon.home.registry import Registry

_ASKED = Clause("query", "query", parameter=Parameter("agenda"), query="value")


class Diaries:
    """The calendars of one home."""

    def __init__(self, registry: Registry, access: Access, replies: Replies) -> None:
        self._registry = registry
        self._access = access
        self._replies = replies

    async def beside(self, judged: Judged) -> Judged:
        """The list of all that is kept with what the calendars say after it; anything else as it is."""
        agenda = judged.turn.clause.agenda
        if judged.report is None or agenda is None or agenda.op != "list" or agenda.sort is not None:
            return judged
        if judged.turn.clause.targets or judged.turn.clause.action is not None:
            return judged
        diaries = tuple(item.id for item in self._registry.devices if item.exposed and item.reads("agenda") is not None)
        lang = judged.turn.lang
        observed = await self._access.reader.read(answers.needs(_ASKED, diaries, self._registry))
        answer = answers.answer(_ASKED, diaries, self._registry, observed)
        facts = tuple(item for item in answer.facts if item.observation.fresh)
        if not facts:
            return judged
        said = Answerer(self._registry, self._replies, lang).answer(replace(answer, facts=facts))
        report = replace(
            judged.report,
            reply=self._replies.sentences([judged.report.reply, said], lang),
            read=tuple(item.entity for item in facts),
            readings=tuple(item.observation for item in facts),
        )
        return replace(judged, report=report)
