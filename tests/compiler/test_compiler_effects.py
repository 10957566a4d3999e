"""Readings are judged by what would come of them."""

from __future__ import annotations

import pytest

from daemon.compiler.draft import parse
from daemon.compiler.drafting import Drafted, Drafting
from daemon.compiler.filling import Filling
from daemon.compiler.meanings import Meanings
from daemon.compiler.tagger import Guess
from daemon.understand.names import NameTable
from daemon.understand.normalize import normalize
from models.train.effects import does_harm, same_effect
from tests.compiler.test_compiler_drafting import CONDITIONS

TEXT = "light in the larder fan curtains lamp kettle 30 50 ten minutes"


def drafted(said: str, meanings: Meanings, filling: Filling) -> Drafted:
    draft = parse(said, meanings)
    guess = Guess(draft, draft.verdict or draft.parts[0].meaning)
    return Drafting(filling, CONDITIONS).drafted(guess, normalize(TEXT, "en"), NameTable(()))


@pytest.mark.parametrize(
    ("wanted", "got", "same", "harm"),
    [
        ("<turn_on><target> lamp", "<turn_on><target> lamp", True, False),
        ("<turn_on><target> lamp", "<open><target> lamp", True, False),
        ("<turn_off><target> fan", "<stop><target> fan", True, False),
        ("<brightness_to><target> lamp<n> 30", "<position_to><target> lamp<n> 30", True, False),
        ("<brightness_to><target> lamp<n> 30", "<brightness_to><target> lamp<n> 50", False, True),
        ("<turn_on><target> lamp", "<turn_off><target> lamp", False, True),
        ("<turn_on><target> lamp", "<turn_on><target> lamp<delayed><duration> ten minutes", False, True),
        ("<nothing>", "<turn_on><target> lamp", False, True),
        ("<turn_on><target> lamp", "<nothing>", False, False),
        ("<turn_on><target> lamp", "<is_on><target> lamp", False, False),
        ("<turn_on><target> lamp", "<negated_on><target> lamp", False, False),
        ("<nothing>", "<need_light>", False, False),
        ("<nothing>", "<nothing>", True, False),
    ],
)
def test_what_would_be_done_decides(
    wanted: str, got: str, same: object, harm: object, meanings: Meanings, filling: Filling
) -> None:
    first, second = (drafted(said, meanings, filling) for said in (wanted, got))
    assert same_effect(first, second) is same
    assert does_harm(first, second) is harm
