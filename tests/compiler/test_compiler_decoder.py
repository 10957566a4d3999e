"""The decoder, on models with random weights: whatever they would like to say, what they write is a draft."""

import contextlib
import math
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from daemon.compiler.decoder import SIGNS, Bare, Decoder
from daemon.compiler.draft import led, parse
from daemon.compiler.filling import Filling
from daemon.compiler.gbnf import DraftGrammar, Refused, plain
from daemon.compiler.llama import Llama
from daemon.compiler.meanings import Meanings
from daemon.core.errors import DraftRefused, ModelCorrupt, ModelError, ModelLate
from daemon.understand.names import NameTable
from daemon.understand.normalize import Normalized, normalize
from models.train.writing import write
from tests.compiler.ggufs import byte_tokenizer, random_chat, random_decoder
from tests.rules import GRAMMAR

pytestmark = pytest.mark.llm

RULES = Path(__file__).resolve().parents[2] / "rules"
MEANINGS = Meanings.load(RULES)
FILLING = Filling(MEANINGS, GRAMMAR)
NOBODY = NameTable(())
WORDS = st.sampled_from(
    ["turn", "the", "lamp", "on", "30", "red", "kitchen", "打开", "厨房", "灯", "<target>", "é", "🜚", '"']
)
ODD = [
    "<turn_on>",
    "<start><=><end>",
    'say "on" [now]',
    "🜚 on 👍🏽",
    "a" * 200,
    "打" * 80,
    "x <target> y",
    "\\u0000 \\n",
]


def made(file: Path) -> Decoder:
    llama = Llama(file)
    return Decoder(llama, Bare(llama, MEANINGS, file), DraftGrammar(MEANINGS, FILLING), MEANINGS)


@pytest.fixture(scope="module")
def decoders(tmp_path_factory: pytest.TempPathFactory) -> list[Decoder]:
    folder = tmp_path_factory.mktemp("decoders")
    return [made(random_decoder(folder / f"{seed}.gguf", MEANINGS, seed)) for seed in range(3)]


@given(st.lists(WORDS, min_size=1, max_size=10).map(" ".join) | st.sampled_from(ODD), st.integers(0, 2))
def test_whatever_is_said_a_draft_has_only_words_of_it_and_makes_an_ir_or_is_refused(
    decoders: list[Decoder], text: str, number: int
) -> None:
    # What comes from the ear is normalized; what does not is no reason to fail either.
    for said in (normalize(text), Normalized(text, "en", text)):
        guess = decoders[number].guess(said, NOBODY, frozenset(), math.inf)
        assert len(guess.signs) == SIGNS
        assert all(-12.0 <= sign <= 0.0 for sign in guess.signs)
        if guess.draft is None:
            continue
        assert parse(write(guess.draft, said.text), MEANINGS) == guess.draft
        words = [item.words for part in guess.draft.parts for piece in (part, *part.frames) for item in piece.said]
        assert all(item in said.text for item in words)
        if guess.draft.verdict is not None:
            continue
        with contextlib.suppress(DraftRefused):  # "a lamp" is no time of day
            FILLING.program(guess.draft, said, NOBODY)


def test_it_writes_the_same_whatever_it_wrote_before(decoders: list[Decoder], tmp_path: Path) -> None:
    fresh = made(random_decoder(tmp_path / "fresh.gguf", MEANINGS, 0))
    said = normalize("turn on the lamp in the kitchen")
    for other in ("turn on the fan", "turn on the lamp in the kitchen", "打开灯"):
        decoders[0].guess(normalize(other), NOBODY, frozenset(), math.inf)
    again, first = (item.guess(said, NOBODY, frozenset(), math.inf) for item in (decoders[0], fresh))
    assert again.draft == first.draft
    assert again.signs == pytest.approx(first.signs, abs=1e-3)


def test_what_was_refused_it_does_not_write_again(decoders: list[Decoder]) -> None:
    said = normalize("turn on the lamp")
    refused: frozenset[Refused] = frozenset()
    seen = set()
    for _ in range(8):
        guess = decoders[1].guess(said, NOBODY, refused, math.inf)
        if guess.draft is None or guess.draft.verdict is not None:
            break
        assert guess.meaning not in seen
        seen.add(guess.meaning)
        refused |= {Refused(guess.meaning)}
    assert seen


def test_a_very_long_utterance_is_no_command_and_no_failure(decoders: list[Decoder]) -> None:
    guess = decoders[0].guess(normalize("turn on the lamp and " * 40), NOBODY, frozenset(), math.inf)
    assert guess.draft is None


def test_after_the_deadline_it_gives_up_and_can_be_asked_again(decoders: list[Decoder]) -> None:
    with pytest.raises(ModelLate):
        decoders[2].guess(normalize("turn on the lamp"), NOBODY, frozenset(), time.monotonic() - 1.0)
    assert decoders[2].guess(normalize("turn on the lamp"), NOBODY, frozenset(), math.inf).meaning


@pytest.mark.parametrize("text", [*ODD, "turn on the lamp 2 please", "把灯2打开 hdmi 1"])
def test_what_is_said_never_becomes_control_tokens_and_is_cut_as_in_training(text: str, tmp_path: Path) -> None:
    llama = Llama(random_decoder(tmp_path / "model.gguf", MEANINGS))
    tokenizer = byte_tokenizer(MEANINGS)
    found = llama.tokens(led(plain(text)))
    assert found == tokenizer.encode(led(plain(text))).ids
    closed = {tokenizer.token_to_id(word) for word in (*MEANINGS.words, "<start>", "<end>", "<=>")}
    assert closed.isdisjoint(found)


def test_other_files_are_refused(tmp_path: Path) -> None:
    (tmp_path / "rubbish.gguf").write_bytes(b"\x00rubbish")
    with pytest.raises(ModelCorrupt, match="cannot load"):
        Llama(tmp_path / "rubbish.gguf")
    file = random_chat(tmp_path / "chat.gguf")
    with pytest.raises(ModelCorrupt, match="no decoder of ours"):
        Bare(Llama(file), MEANINGS, file)


def test_a_decoder_for_other_meanings_is_refused(tmp_path: Path) -> None:
    (tmp_path / "meanings.yaml").write_text(
        "act:\n  explode: {about: x, clause: {intent: act, action: turn_on, targets: [$target]}}\n", encoding="utf-8"
    )
    file = random_decoder(tmp_path / "model.gguf", MEANINGS)
    with pytest.raises(ModelCorrupt, match="other meanings"):
        Bare(Llama(file), Meanings.load(tmp_path), file)


def test_a_grammar_that_is_none_is_an_error_not_the_end(tmp_path: Path) -> None:
    llama = Llama(random_decoder(tmp_path / "model.gguf", MEANINGS))
    llama.open(64)
    with pytest.raises(ModelError, match="grammar"):
        llama.write([1], "root ::= (", 8, math.inf)
    with pytest.raises(ModelError, match="too long"):
        llama.write([1] * 64, 'root ::= "a"', 8, math.inf)
