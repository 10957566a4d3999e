from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import ctranslate2
import numpy as np
import pytest
import tokenizers
from faster_whisper.tokenizer import _LANGUAGE_CODES
from hypothesis import given
from hypothesis import strategies as st

from daemon.core.errors import ModelCorrupt, ModelMissing, TranscriptionError
from daemon.hear import audio
from daemon.hear.whisper import Whisper, confidence, is_hallucination

SIZE = 16
"""Of the embeddings: the smallest that the quantized kernels take."""


class Always:
    """A voice detector that hears speech everywhere, or nowhere."""

    def __init__(self, probability: float) -> None:
        self.probability = probability

    def feed(self, frame: object) -> float:
        return self.probability

    def reset(self) -> None:
        pass


def tokenizer() -> tokenizers.Tokenizer:
    """Bytes, and the marks that Whisper writes."""
    alphabet = sorted(tokenizers.pre_tokenizers.ByteLevel.alphabet())
    made = tokenizers.Tokenizer(
        tokenizers.models.BPE(vocab={character: index for index, character in enumerate(alphabet)}, merges=[])
    )
    made.pre_tokenizer = tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False)
    made.decoder = tokenizers.decoders.ByteLevel()
    marks = ["endoftext", "startoftranscript", *sorted(_LANGUAGE_CODES), "translate", "transcribe", "startoflm"]
    marks += ["startofprev", "nospeech", "notimestamps", *(f"{index * 0.02:.2f}" for index in range(1501))]
    made.add_special_tokens([f"<|{mark}|>" for mark in marks])
    return made


def fill(spec: Any, random: np.random.Generator, vocabulary: int) -> None:
    """Random weights of the right shapes."""

    def weight(*shape: int) -> Any:
        return random.standard_normal(shape).astype(np.float32) * 0.3

    def linear(layer: Any, rows: int, columns: int) -> None:
        layer.weight, layer.bias = weight(rows, columns), weight(rows)

    def attention(layer: Any, *, over_self: bool) -> None:
        norm(layer.layer_norm)
        linear(layer.linear[0], SIZE * (3 if over_self else 1), SIZE)
        if not over_self:
            linear(layer.linear[1], SIZE * 2, SIZE)
        linear(layer.linear[-1], SIZE, SIZE)

    def norm(layer: Any) -> None:
        layer.gamma, layer.beta = np.ones(SIZE, np.float32), np.zeros(SIZE, np.float32)

    def feed_forward(layer: Any) -> None:
        norm(layer.layer_norm)
        linear(layer.linear_0, SIZE * 4, SIZE)
        linear(layer.linear_1, SIZE, SIZE * 4)

    spec.encoder.conv1.weight, spec.encoder.conv1.bias = weight(SIZE, 80, 3), weight(SIZE)
    spec.encoder.conv2.weight, spec.encoder.conv2.bias = weight(SIZE, SIZE, 3), weight(SIZE)
    spec.encoder.position_encodings.encodings = weight(1500, SIZE)
    norm(spec.encoder.layer_norm)
    for layer in spec.encoder.layer:
        attention(layer.self_attention, over_self=True)
        feed_forward(layer.ffn)
    spec.decoder.embeddings.weight = weight(vocabulary, SIZE)
    spec.decoder.position_encodings.encodings = weight(448, SIZE)
    spec.decoder.projection.weight = spec.decoder.embeddings.weight
    norm(spec.decoder.layer_norm)
    for layer in spec.decoder.layer:
        attention(layer.self_attention, over_self=True)
        attention(layer.attention, over_self=False)
        feed_forward(layer.ffn)


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model of Whisper's architecture with random weights."""
    folder = tmp_path_factory.mktemp("tiny-whisper")
    words = tokenizer()
    words.save(str(folder / "tokenizer.json"))
    vocabulary = [token for token, _ in sorted(words.get_vocab().items(), key=lambda item: item[1])]
    spec = ctranslate2.specs.WhisperSpec(1, 2, 1, 2)
    fill(spec, np.random.default_rng(1), len(vocabulary))
    spec.register_vocabulary(vocabulary)
    spec.config.suppress_ids = []
    spec.config.suppress_ids_begin = []
    spec.config.lang_ids = [words.token_to_id(f"<|{code}|>") for code in sorted(_LANGUAGE_CODES)]
    spec.config.alignment_heads = [(0, 0)]
    spec.validate()
    spec.save(str(folder))
    return folder


NOISE = (np.random.default_rng(3).standard_normal(16_000) * 0.1).astype(np.float32)


def test_a_random_model_says_nothing_that_is_believed(tiny: Path) -> None:
    """Its tokens are improbable, so the gates close."""
    engine = Whisper(tiny, vad=Always(1.0))
    engine.prepare(["desk lamp"])
    heard = engine.transcribe(NOISE, "en")
    assert heard.engine == "whisper"
    assert heard.confidence < 0.5


def test_where_nobody_speaks_the_model_is_not_even_asked(tmp_path: Path) -> None:
    for name in ("model.bin", "config.json", "tokenizer.json"):
        (tmp_path / name).write_bytes(b"broken")
    assert Whisper(tmp_path, vad=Always(0.0)).transcribe(NOISE, "en").hypotheses == ()
    assert Whisper(tmp_path, vad=Always(1.0)).transcribe(NOISE * 1e-5, "en").hypotheses == ()


def test_a_broken_model_is_one_line(tmp_path: Path) -> None:
    for name in ("model.bin", "config.json", "tokenizer.json"):
        (tmp_path / name).write_bytes(b"broken")
    with pytest.raises(ModelCorrupt, match="cannot be loaded") as caught:
        Whisper(tmp_path, vad=Always(1.0)).prepare([])
    assert "\n" not in str(caught.value)


def test_without_its_tokenizer_nothing_is_fetched(tiny: Path, tmp_path: Path) -> None:
    for name in ("model.bin", "config.json"):
        (tmp_path / name).write_bytes((tiny / name).read_bytes())
    with pytest.raises(ModelMissing, match=r"tokenizer\.json"):
        Whisper(tmp_path)


def test_a_language_it_is_not_set_up_for(tiny: Path) -> None:
    with pytest.raises(TranscriptionError, match="'de'"):
        Whisper(tiny).transcribe(NOISE, "de")


class Part:
    """A segment as faster-whisper gives it."""

    def __init__(self, text: str, logprob: float = -0.2, silence: float = 0.0, ratio: float = 1.0) -> None:
        self.text, self.avg_logprob, self.no_speech_prob, self.compression_ratio = text, logprob, silence, ratio


@pytest.mark.parametrize(
    ("parts", "lang", "text"),
    [
        ([Part(" turn on"), Part(" the lamp")], "en", "turn on the lamp"),
        ([Part(" turn on the lamp", silence=0.9)], "en", "turn on the lamp"),
        ([Part(" turn on the lamp", logprob=-0.7, silence=0.9)], "en", ""),
        ([Part(" turn on the lamp", logprob=-1.2)], "en", ""),
        ([Part(" lamp" * 40, ratio=9.0)], "en", ""),
        ([Part(" Thank you for watching!")], "en", ""),
        ([Part(" turn on the lamp"), Part(" la la la", ratio=3.0)], "en", "turn on the lamp"),
        ([Part("打開客廳的燈")], "zh", "打开客厅的灯"),
        ([Part("打开\ufffd灯")], "zh", "打开灯"),
        ([Part("请不吝点赞 订阅 转发 打赏支持明镜与点点栏目")], "zh", ""),
        ([], "en", ""),
    ],
)
def test_the_gates(tiny: Path, monkeypatch: pytest.MonkeyPatch, parts: list[Part], lang: str, text: str) -> None:
    engine = Whisper(tiny, vad=Always(1.0))
    engine.prepare([])
    monkeypatch.setattr(engine._model, "transcribe", lambda *_args, **_options: (iter(parts), None))
    heard = engine.transcribe(NOISE, lang)
    assert heard.text == text
    assert len(heard.hypotheses) == bool(text)


def test_names_go_into_the_prompt_as_far_as_they_fit(tiny: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    engine = Whisper(tiny, vad=Always(1.0))
    engine.prepare(["desk lamp", "desk lamp", *(f"lamp number {index}" for index in range(500))])
    asked: dict[str, Any] = {}
    monkeypatch.setattr(
        engine._model, "transcribe", lambda *_args, **options: (asked.update(options), (iter([]), None))[1]
    )
    engine.transcribe(NOISE, "zh")
    assert asked["initial_prompt"].startswith("以下是普通话的句子。desk lamp, lamp number 0, ")
    assert len(asked["initial_prompt"]) < 220
    assert asked["language"] == "zh"


@pytest.mark.parametrize(
    "text",
    [
        "Thank you.",
        " you",
        "Subtitles by the Amara.org community",
        "字幕由 Amara.org 社群提供",
        "谢谢观看！",
        "...",
        "(music)",
    ],
)
def test_what_whisper_makes_up_is_known(text: str) -> None:
    assert is_hallucination(text)


@pytest.mark.parametrize(
    "text", ["turn on the lamp", "stop", "yes", "thank you lamp off", "play music", "打开音乐", "关灯", "停止音乐"]
)
def test_a_command_is_not_taken_for_one(text: str) -> None:
    assert not is_hallucination(text)


@given(st.floats(-5, 0), st.floats(-5, 0), st.floats(0, 1))
def test_confidence_rises_with_probability(low: float, high: float, silence: float) -> None:
    low, high = sorted((low, high))
    assert 0.0 <= confidence(low, silence) <= confidence(high, silence) <= 1.0
    assert confidence(high, silence) <= confidence(high, 0.0)


@pytest.mark.models
@pytest.mark.speech
def test_real_recordings_through_a_real_model(speech: Path, models: Path) -> None:
    """The model has learnt these clips by heart: it shows that the path is right, not how well Whisper hears."""
    engine = Whisper(models / "whisper-fixture-int8", prompts={})
    engine.prepare([])
    right: list[bool] = []
    for line in (speech / "manifest.jsonl").read_text(encoding="utf-8").splitlines():
        clip = json.loads(line)
        heard = engine.transcribe(audio.load(speech / clip["file"]), clip["lang"] or "en")
        # int8 sums differ a little between processors: a clip may be too doubtful to be taken, never another sentence.
        assert heard.text in ("", clip["text"] or ""), clip["file"]
        right.append(heard.text == (clip["text"] or ""))
        assert not heard.text or heard.confidence > 0.9
    assert any(right)
