"""The embedded model: with its real weights where they are, and what happens without."""

from __future__ import annotations

import asyncio
import socket
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from pipecat.frames.frames import InterruptionFrame
from pipecat.tests.utils import SleepFrame, run_test

from memory.errors import UserError
from memory.nouns import Recalled
from memory.prompt import PromptInput, build_messages
from memory.reply import ReplyPlan, plan_message
from memory.tokens import estimate_tokens
from pipeline.settings import LLMSettings
from pipeline.speech.apologies import apology
from pipeline.speech.embedded_model import CONTEXT_TOKENS, EmbeddedModel, ModelError, fitting, model_file
from pipeline.speech.llm import make_llm
from pipeline.virtual_time import run
from tests.pipeline.speech.llm_runner import Turns, context_frame, run_turns

NOW = datetime(2026, 3, 10, 9, 0, tzinfo=UTC)
# What was said, what is asked, a word that the answer must hold.
QUESTIONS = (
    ("My dog is called Bruno and I like window seats.", "What is my dog's name?", "bruno"),
    ("My dog is called Bruno and I like window seats.", "Which seats do I like?", "window"),
    ("I booked room Aurora for Thursday.", "Which room did I book?", "aurora"),
    ("My sister Helen lives in Lisbon.", "Where does my sister live?", "lisbon"),
    ("I am allergic to peanuts.", "What am I allergic to?", "peanut"),
    ("The dentist appointment is on Friday at half past three.", "When is my dentist appointment?", "friday"),
    ("My favourite colour is dark green.", "What is my favourite colour?", "green"),
    ("I prefer tea over coffee in the morning.", "Do I prefer tea or coffee?", "tea"),
    ("Our train leaves at 7:45 from platform nine.", "Which platform does our train leave from?", "nine"),
    ("My landlord's number ends in four two seven.", "How does my landlord's number end?", "four two seven"),
    ("I don't like mushrooms on my pizza.", "What don't I like on my pizza?", "mushroom"),
    ("My name is Anna.", "What is my name?", "anna"),
)


def prompt(question: str, *memories: str, language: str = "en") -> list[dict[str, str]]:
    recalled = tuple(Recalled(str(i), text, 1.0, said_at=NOW.timestamp() - 60) for i, text in enumerate(memories))
    return build_messages(PromptInput("Joe", language, "", NOW, question, recalled=recalled), shape="small")


@pytest.fixture
def model_path(weights: Any) -> Path:
    return weights("smollm2-135m")


def service_for(path: Path, **changes: Any) -> Any:
    return make_llm(LLMSettings(timeout_s=60, **changes), language="en", weights_path=path)


@pytest.mark.weights
async def test_it_answers_from_memory_in_its_own_words(model_path: Path) -> None:
    turns = await run_turns(service_for(model_path), *(prompt(asked, said) for said, asked, _ in QUESTIONS))
    assert turns.failures == []
    wrong = [
        (asked, text) for (_, asked, word), text in zip(QUESTIONS, turns.texts, strict=True) if word not in text.lower()
    ]
    assert wrong == []
    quoted = [text for text in turns.texts if text.startswith("You told me")]
    assert len(quoted) <= 2, "the model's own words were hardly ever good enough"


@pytest.mark.weights
async def test_the_worked_examples_stay_out_of_the_answers(model_path: Path) -> None:
    asked = [
        "What does my neighbour play?",
        "Where is the spare fuse?",
        "What do I keep in a jar?",
        "What is my cat's name?",
    ]
    turns = await run_turns(
        service_for(model_path), *(prompt(line, "My sister Helen lives in Lisbon.") for line in asked)
    )
    for text in turns.texts:
        assert not {"pavel", "cello", "fuse", "jar", "mustard"} & set(text.lower().replace(".", "").split()), text


@pytest.mark.weights
async def test_a_prompt_without_a_plan_is_answered_as_it_is_generated(model_path: Path) -> None:
    messages = [
        {"role": "system", "content": "Answer in one sentence."},
        {"role": "user", "content": "What is the capital of France?"},
    ]
    turns = await run_turns(service_for(model_path), messages)
    assert "paris" in turns.texts[0].lower()
    assert len(turns.pieces[0]) > 3


@pytest.mark.weights
async def test_an_interruption_stops_the_model(model_path: Path) -> None:
    service = service_for(model_path, max_tokens=1500)
    story = [{"role": "user", "content": "Tell me a long story about a dog and a cat."}]
    made: list[str] = []
    generate = service._model.generate

    def held_up(messages: Any, *, on_text: Any, **kwargs: Any) -> None:
        """The real model, which after five pieces waits for whether it is stopped."""

        def take(text: str) -> bool:
            made.append(text)
            waited = 0
            while len(made) == 5 and not on_text("") and waited < 3000:
                time.sleep(0.01)
                waited += 1
            return bool(on_text(text))

        generate(messages, on_text=take if messages == story else on_text, **kwargs)

    service._model.generate = held_up
    question = prompt("What is my dog's name?", "My dog is called Bruno.")
    down, _ = await run_test(
        service,
        frames_to_send=[
            context_frame(question),
            context_frame(story),
            SleepFrame(sleep=4.0),
            InterruptionFrame(),
            SleepFrame(sleep=0.1),
            context_frame(question),
        ],
        start_timeout=20.0,
    )
    turns = Turns(down)
    assert "Bruno" in turns.texts[-1]
    assert len(made) in (0, 5, 6), made


@pytest.mark.weights
@pytest.mark.skipif(not Path("/proc/self/net/unix").exists(), reason="reads Linux's tables of sockets")
def test_nobody_can_connect_to_it(model_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)):
        before = _listening()
        model = EmbeddedModel(model_file(model_path))
        model.load()
        after = _listening()
        model.close()
    assert len(before) >= 1
    assert after == before


def _listening() -> set[str]:
    """This process's listening TCP sockets and the Unix sockets that have a path on disk."""
    inodes = set()
    for link in Path("/proc/self/fd").iterdir():
        try:
            target = str(link.readlink())
        except OSError:
            continue
        if target.startswith("socket:["):
            inodes.add(target[8:-1])
    found = set()
    for table in ("tcp", "tcp6"):
        for line in Path(f"/proc/self/net/{table}").read_text().splitlines()[1:]:
            fields = line.split()
            if fields[3] == "0A" and fields[9] in inodes:
                found.add(fields[1])
    for line in Path("/proc/self/net/unix").read_text().splitlines()[1:]:
        fields = line.split()
        if fields[6] in inodes and len(fields) > 7 and Path(fields[7]).exists():
            found.add(fields[7])
    return found


@pytest.mark.weights
def test_time_stands_still_while_it_generates(model_path: Path) -> None:
    async def main() -> tuple[float, Turns]:
        loop = asyncio.get_running_loop()
        service = service_for(model_path)
        began = loop.time()
        turns = await run_turns(service, prompt("What is my dog's name?", "My dog is called Bruno."))
        return loop.time() - began, turns

    results = [run(main(), virtual=True) for _ in range(2)]
    assert [turns.texts for _, turns in results] == [["Your dog is called Bruno."]] * 2
    assert all(seconds < 0.5 for seconds, _ in results)


@pytest.mark.weights
async def test_a_prompt_that_is_too_long_is_cut_and_not_refused(model_path: Path) -> None:
    history = [{"role": ("user", "assistant")[at % 2], "content": "word " * 200} for at in range(30)]
    messages = [{"role": "system", "content": "Be brief."}, *history, {"role": "user", "content": "Hello?"}]
    cut = fitting(messages, 100)
    assert cut[0]["content"] == "Be brief."
    assert cut[-1]["content"] == "Hello?"
    assert sum(estimate_tokens(message["content"]) for message in cut) < CONTEXT_TOKENS


async def test_a_broken_file_degrades(tmp_path: Path) -> None:
    path = tmp_path / "broken.gguf"
    path.write_bytes(b"GGUF" + b"\0" * 2000)
    question = prompt("What is my dog's name?", "My dog is called Bruno.")
    turns = await run_turns(
        service_for(path), question, prompt("Hello."), [{"role": "user", "content": "Tell me a story."}]
    )
    assert turns.texts[0] == "You told me that your dog is called Bruno."
    assert turns.texts[1].startswith("Hello, I am Joe.")
    assert turns.texts[2] == apology("en", "weights")
    assert [failure.reason for failure in turns.failures] == ["weights", "weights"]
    assert "broken.gguf" in turns.failures[0].detail


@pytest.mark.weights
def test_a_file_that_was_cut_short_is_refused(model_path: Path, tmp_path: Path) -> None:
    path = tmp_path / "short.gguf"
    with model_file(model_path).open("rb") as file:
        path.write_bytes(file.read(3_000_000))
    with pytest.raises(ModelError, match=r"short\.gguf: cannot be loaded"):
        EmbeddedModel(path).load()


def test_missing_or_wrong_weights_are_one_line(tmp_path: Path) -> None:
    page = tmp_path / "model.gguf"
    page.write_text("<html>")
    for path, expected in ((None, "weights pull"), (tmp_path / "none.gguf", "none.gguf"), (page, "not a GGUF model")):
        with pytest.raises(UserError, match=expected) as caught:
            make_llm(LLMSettings(), language="en", weights_path=path)
        assert "\n" not in str(caught.value)
    empty = tmp_path / "empty"
    empty.mkdir()
    with pytest.raises(UserError, match="no GGUF model"):
        make_llm(LLMSettings(), language="en", weights_path=empty)


class _FakeModel:
    """Stands in for the weights."""

    def __init__(self, answer: str) -> None:
        self.answer = answer
        self.asked: list[Any] = []

    def load(self) -> None:
        pass

    def close(self) -> None:
        pass

    def generate(self, messages: Any, *, on_text: Any, **_: Any) -> None:
        self.asked.append(messages)
        for word in self.answer.split(" "):
            if on_text(word + " "):
                return


PLAN = ReplyPlan(
    "recall", "You told me that your dog is called Bruno.", True, "What is my dog's name?", "Your dog is called Bruno."
)


@pytest.mark.parametrize(
    ("answer", "spoken"),
    [
        ("Your dog is called Bruno.", "Your dog is called Bruno."),
        ("Your dog is called Rex.", PLAN.text),
        ("Your neighbour plays the cello.", PLAN.text),
        ("I have booked your dog.", PLAN.text),
        ("", PLAN.text),
    ],
)
async def test_an_answer_is_spoken_only_when_it_rests_on_the_evidence(tmp_path: Path, answer: str, spoken: str) -> None:
    path = tmp_path / "model.gguf"
    path.write_bytes(b"GGUF")
    service = service_for(path)
    service._model = model = _FakeModel(answer)
    turns = await run_turns(service, [{"role": "user", "content": "What is my dog's name?"}, plan_message(PLAN)])
    assert turns.texts == [spoken]
    assert turns.failures == []
    assert all("reply_plan" not in str(messages) for messages in model.asked)


async def test_a_free_answer_that_goes_in_circles_is_stopped(tmp_path: Path) -> None:
    path = tmp_path / "model.gguf"
    path.write_bytes(b"GGUF")
    service = service_for(path)
    service._model = _FakeModel("I am sorry. " * 50)
    turns = await run_turns(service, [{"role": "user", "content": "Hello?"}])
    assert 1 <= turns.texts[0].count("sorry") <= 2


async def test_an_empty_free_answer_is_apologised_for(tmp_path: Path) -> None:
    path = tmp_path / "model.gguf"
    path.write_bytes(b"GGUF")
    service = service_for(path)
    service._model = _FakeModel("")
    turns = await run_turns(service, [{"role": "user", "content": "Hello?"}])
    assert turns.texts == [apology("en", "empty")]
    assert [failure.reason for failure in turns.failures] == ["empty"]
