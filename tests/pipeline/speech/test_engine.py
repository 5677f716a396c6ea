from __future__ import annotations

import asyncio
import json
from pathlib import Path
from types import SimpleNamespace

import pytest

from memory.errors import UserError
from pipeline.models import load_recogniser
from pipeline.settings import load_settings
from pipeline.speech.engine import DecodeQueue, Ticket, WhisperEngine, check_model_folder


async def take(queue: DecodeQueue, ticket: Ticket, name: str, order: list[str], release: asyncio.Event) -> None:
    async with queue.turn(ticket):
        order.append(name)
        await release.wait()


async def queued(queue: DecodeQueue, names: str) -> tuple[list[str], asyncio.Event, dict[str, Ticket], list]:
    """The first of ``names`` has the model, the others wait."""
    order: list[str] = []
    release, tickets, tasks = asyncio.Event(), {name: Ticket() for name in names}, []
    for name in names:
        tasks.append(asyncio.create_task(take(queue, tickets[name], name, order, release)))
        await asyncio.sleep(0)
    return order, release, tickets, tasks


async def test_conversations_take_turns_in_order() -> None:
    order, release, _, tasks = await queued(DecodeQueue(), "abcd")
    assert order == ["a"]
    release.set()
    await asyncio.gather(*tasks)
    assert order == ["a", "b", "c", "d"]


async def test_who_has_become_urgent_while_waiting_goes_first() -> None:
    order, release, tickets, tasks = await queued(DecodeQueue(), "abcd")
    tickets["c"].urgent = True
    release.set()
    await asyncio.gather(*tasks)
    assert order == ["a", "c", "b", "d"]


@pytest.mark.parametrize("granted", [False, True])
async def test_who_is_cancelled_holds_up_nobody(granted: bool) -> None:
    queue = DecodeQueue()
    order, release, _, tasks = await queued(queue, "abc")
    if granted:
        tasks[0].cancel()
        await asyncio.wait({tasks[0]})
    tasks[1].cancel()
    release.set()
    await asyncio.gather(*tasks, return_exceptions=True)
    assert order[-1] == "c"
    async with asyncio.timeout(5), queue.turn(Ticket()):
        pass


async def test_an_error_gives_the_model_back() -> None:
    queue = DecodeQueue()
    with pytest.raises(RuntimeError):
        async with queue.turn(Ticket()):
            raise RuntimeError
    async with asyncio.timeout(5), queue.turn(Ticket()):
        pass


def model_folder(path: Path, config: str = '{"suppress_ids": []}', without: str = "") -> Path:
    files = {"model.bin": "not a model", "config.json": config, "tokenizer.json": "{}", "vocabulary.json": "[]"}
    for name, content in files.items():
        if name != without:
            (path / name).write_text(content)
    return path


def test_a_missing_folder_is_named(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="nowhere: no such folder"):
        check_model_folder(tmp_path / "nowhere")


@pytest.mark.parametrize("name", ["model.bin", "config.json", "tokenizer.json", "vocabulary.json"])
def test_a_missing_file_is_named(tmp_path: Path, name: str) -> None:
    with pytest.raises(UserError, match=f"{name} missing"):
        check_model_folder(model_folder(tmp_path, without=name))


def test_another_kind_of_model_is_refused(tmp_path: Path) -> None:
    translation = json.dumps({"add_source_bos": False, "bos_token": "<s>"})
    with pytest.raises(UserError, match="not a Whisper model"):
        check_model_folder(model_folder(tmp_path, config=translation))


def test_a_broken_configuration_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"config\.json: not readable as JSON") as caught:
        check_model_folder(model_folder(tmp_path, config="{"))
    assert "\n" not in str(caught.value)


def test_a_broken_model_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="cannot load this as a Whisper model") as caught:
        WhisperEngine.load(model_folder(tmp_path))
    assert "\n" not in str(caught.value)


@pytest.mark.weights
def test_a_compute_type_that_the_machine_lacks_is_named(weights) -> None:
    with pytest.raises(UserError, match=r"asr\.compute_type=int3"):
        WhisperEngine.load(weights("whisper-base"), compute_type="int3")


def test_an_english_model_refuses_mandarin_before_anybody_speaks(monkeypatch: pytest.MonkeyPatch) -> None:
    engine = WhisperEngine(SimpleNamespace(model=SimpleNamespace(is_multilingual=False)))
    monkeypatch.setattr(WhisperEngine, "load", lambda *_, **__: engine)
    settings = load_settings(overrides=["asr.language=zh"], environ={})
    with pytest.raises(UserError, match="knows English only"):
        load_recogniser(settings, Path("anywhere"))
    engine.close()
