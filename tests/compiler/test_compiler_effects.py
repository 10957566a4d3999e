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

TEXT = (
    "light in the larder fan curtains lamp kettle 30 50 ten minutes ac 21 tv speaker radio "
    "cellar cellars hdmi 2 eco mode door lock"
)


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
        # What is to be done says already of what kind it is done to, and no more than that.
        ("<temperature_to><n> 21", "<temperature_to><target> ac<n> 21", True, False),
        ("<brighter>", "<brighter><target> light", True, False),
        ("<brightest>", "<brightest><target> lamp", True, False),
        ("<warmer>", "<warmer><room> cellar", False, True),
        # What plays goes by any name, but not what plays somewhere else.
        ("<pause>", "<pause><target> tv", True, False),
        ("<pause><target> tv", "<pause><target> speaker", True, False),
        ("<louder>", "<louder><target> tv", True, False),
        ("<source_to><source> hdmi 2", "<source_to><target> tv<source> hdmi 2", True, False),
        ("<pause><target> tv", "<pause><target> tv<room> cellar", False, True),
        ("<volume_to><target> tv<n> 30", "<volume_to><target> speaker<n> 50", False, True),
        # An option with a word more or less is found all the same; another one is another.
        ("<source_to><target> tv<source> hdmi", "<source_to><target> tv<source> hdmi 2", True, False),
        ("<mode_to><target> ac<mode> eco", "<mode_to><target> ac<mode> eco mode", True, False),
        ("<source_to><target> tv<source> radio", "<source_to><target> tv<source> hdmi 2", False, True),
        # A place with another ending, or of which less is meant, is the same one.
        ("<warmer><room> cellar", "<warmer><room> cellars", True, False),
        ("<turn_off><target> light<room> cellar", "<turn_off><target> light<room> cellars", True, False),
        ("<turn_off><room> cellar", "<turn_off><target> light<room> cellar", True, False),
        ("<warmer><room> cellar", "<warmer><room> larder", False, True),
        ("<lock><target> door", "<lock><target> lock", True, False),
        ("<lock><target> door", "<lock><target> fan", False, True),
        # Whatever reaches further is harm.
        ("<turn_off><target> light<room> cellar", "<turn_off><room> cellar", False, True),
        ("<turn_off><target> light<room> cellar", "<turn_off><target> light", False, True),
        ("<warmer><room> cellar", "<warmer>", False, True),
    ],
)
def test_what_would_be_done_decides(
    wanted: str, got: str, same: object, harm: object, meanings: Meanings, filling: Filling
) -> None:
    first, second = (drafted(said, meanings, filling) for said in (wanted, got))
    assert same_effect(first, second) is same
    assert does_harm(first, second) is harm
