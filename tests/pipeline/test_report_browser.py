"""The report page in a real browser: it runs without an error, fits a phone, and answers to mouse and keys."""

from __future__ import annotations

import html
import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from pipeline.report import build_report
from tests.pipeline.report_pages import HOSTILE, hostile_records, record_conversation, records, write_session

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
FLAGS = (
    *("--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--mute-audio", "--hide-scrollbars"),
    *("--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"),
    "--disable-quic",
)

# Loads the page in a frame as wide as a screen, does something in it, and writes down what it found.
FRAME = """<!DOCTYPE html><meta charset="utf-8"><body style="margin:0">
<iframe src="report.html" style="width:WIDTHpx;height:740px;border:0"></iframe><pre id="found"></pre>
<script>
const frame = document.querySelector("iframe");
frame.addEventListener("load", async () => {
  const page = frame.contentDocument, view = frame.contentWindow;
  const $ = (selector) => page.querySelector(selector);
  const settled = () => new Promise((done) => setTimeout(done, 50));
  let found;
  try { found = await (async () => { ACTIONS })(); } catch (error) { found = { error: String(error) }; }
  document.querySelector("#found").textContent = JSON.stringify(found);
});
</script>
"""


@pytest.fixture(scope="session")
def browser() -> str:
    found = next((path for name in BROWSERS if (path := shutil.which(name))), None)
    if found is None:
        pytest.skip(f"no browser: none of {', '.join(BROWSERS)} is installed")
    return found


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "conversation"
    folder.mkdir()
    write_session(folder, records())
    record_conversation(folder)
    return folder


def visit(browser: str, folder: Path, actions: str, width: int = 1280) -> tuple[dict[str, Any], list[str]]:
    """Build the page, open it, and run JavaScript against it.

    Args:
        browser: Path of the browser.
        folder: Holds the session.
        actions: Body of an async function over ``page``, ``view``, ``$`` and ``settled``; returns what was found.
        width: CSS pixels of the screen.

    Returns:
        What the actions returned, and what the browser wrote to its console.
    """
    build_report(folder)
    frame = folder / "frame.html"
    frame.write_text(FRAME.replace("WIDTH", str(width)).replace("ACTIONS", actions), encoding="utf-8")
    run = subprocess.run(
        [
            browser,
            *FLAGS,
            f"--user-data-dir={folder / 'profile'}",
            "--allow-file-access-from-files",
            "--enable-logging=stderr",
            f"--window-size={max(width, 800)},900",
            "--virtual-time-budget=20000",
            "--dump-dom",
            frame.as_uri(),
        ],
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=180,
        check=True,
    )
    found = re.search(r'<pre id="found">(.*?)</pre>', run.stdout, re.DOTALL)
    assert found and found.group(1), f"the page did not finish:\n{run.stdout[-500:]}\n{run.stderr[-2000:]}"
    return json.loads(html.unescape(found.group(1))), re.findall(r"CONSOLE.*", run.stderr)


LAYOUT = """
  return {
    turns: page.documentElement.dataset.ready,
    articles: page.querySelectorAll("article.turn").length,
    width: page.documentElement.scrollWidth,
    wide: [...page.querySelectorAll("body *")].filter((node) =>
      !node.closest(".tl, .vh, .skip") && node.getBoundingClientRect().right > view.innerWidth + 1
    ).map((node) => node.outerHTML.slice(0, 120)),
    waves: page.querySelectorAll(".wave path").length,
    visible: $(".m-recall").getBoundingClientRect().height > 0,
  };
"""


@pytest.mark.parametrize("width", [320, 360, 768, 1280])
def test_page_runs_and_fits_the_screen(browser: str, folder: Path, width: int) -> None:
    found, console = visit(browser, folder, LAYOUT, width)
    assert console == []
    assert found == {"turns": "6", "articles": 6, "width": width, "wide": [], "waves": 4, "visible": True}


def test_page_without_recording_or_timeline_runs(browser: str, folder: Path) -> None:
    (folder / "conversation.wav").unlink()
    turns = records()
    for turn in turns:
        del turn["timeline"]
    write_session(folder, turns)
    found, console = visit(browser, folder, "return {turns: page.documentElement.dataset.ready}", 360)
    assert console == [] and found == {"turns": "6"}


def test_long_words_do_not_widen_a_phone(browser: str, folder: Path) -> None:
    turns = records()
    for turn in turns:
        turn["user_text"] = turn["reply_text"] = turn["llm_response"] = "w" * 400
        turn["inner_state_after"]["facts"] = {"k" * 200: "v" * 200}
        turn["tool_calls"] = [{"name": "n" * 200, "arguments": {"a" * 200: "b" * 200}, "status": "s" * 200}]
        turn["user_id"] = turn["session_id"] = "u" * 200
        turn["failures"] = [{"part": "p" * 200, "reason": "r" * 200, "detail": "d" * 200}]
        turn["emotion"]["label"] = "e" * 200
    write_session(folder, turns)
    actions = "page.querySelectorAll('details').forEach((node) => { node.open = true; });" + LAYOUT
    found, _ = visit(browser, folder, actions, 360)
    assert (found["width"], found["wide"]) == (360, [])


def test_nothing_that_was_said_runs(browser: str, folder: Path) -> None:
    write_session(folder, hostile_records())
    actions = """
      return {stolen: view.stolen ?? null, images: page.images.length, scripts: page.scripts.length,
              words: $(".line-user .words").textContent};
    """
    found, console = visit(browser, folder, actions)
    assert console == []
    assert found == {"stolen": None, "images": 0, "scripts": 1, "words": HOSTILE}


def test_script_that_slipped_in_would_not_run(browser: str, folder: Path) -> None:
    """The second lock: the page's policy refuses what is not its own script."""
    actions = """
      const script = page.createElement("script");
      script.textContent = "window.stolen = 1";
      page.body.append(script);
      const image = page.createElement("div");
      image.innerHTML = '<img src="data:," onerror="window.stolen = 1">';
      page.body.append(image);
      await settled();
      return {stolen: view.stolen ?? null};
    """
    found, _ = visit(browser, folder, actions)
    assert found == {"stolen": None}


def test_zoom_widens_the_axis_and_fit_shows_all(browser: str, folder: Path) -> None:
    actions = """
      const timeline = $(".tl"), widths = [timeline.scrollWidth];
      for (const how of ["in", "out", "fit"]) {
        $(`[data-zoom=${how}]`).click();
        await settled();
        widths.push(timeline.scrollWidth);
      }
      return {widths, shown: timeline.clientWidth, density: timeline.dataset.density};
    """
    found, console = visit(browser, folder, actions)
    start, wider, back, fitted = found["widths"]
    assert console == []
    assert wider > start * 1.4 and abs(back - start) <= 2
    assert abs(fitted - found["shown"]) <= 1 and found["density"] == "far"


def test_keys_step_through_the_events_and_tell_them(browser: str, folder: Path) -> None:
    actions = """
      const timeline = $(".tl"), told = [];
      const press = (key) => (page.activeElement.closest(".tl") ?? timeline)
        .dispatchEvent(new view.KeyboardEvent("keydown", { key, bubbles: true }));
      timeline.focus();
      for (const key of ["ArrowRight", "ArrowRight", "ArrowRight", "ArrowLeft", "End", "Home"]) {
        press(key);
        await settled();
        told.push([page.activeElement.dataset.t, $(".tip").hidden]);
      }
      press("Escape");
      return {told, hidden: $(".tip").hidden};
    """
    found, console = visit(browser, folder, actions)
    times = [float(t) for t, _ in found["told"]]
    assert console == []
    assert times[0] <= times[1] <= times[2] and times[3] == times[1]
    assert times[4] == max(times) > 30 and times[5] == min(times)
    assert not any(hidden for _, hidden in found["told"]) and found["hidden"]


def test_click_on_a_turn_moves_the_recording_and_the_playhead(browser: str, folder: Path) -> None:
    actions = """
      const audio = $("audio"), head = $(".head"), timeline = $(".tl");
      if (audio.readyState < 1) await new Promise((done) => audio.addEventListener("loadedmetadata", done));
      const button = $("#turn-4 [data-seek]");
      audio.play = () => Promise.resolve();
      button.click();
      await settled();
      const box = head.getBoundingClientRect(), outer = timeline.getBoundingClientRect();
      const first = {time: audio.currentTime, asked: Number(button.dataset.seek), now: $("article.now").id,
                     seen: box.left > outer.left && box.right < outer.right};
      const mark = $('.m-turn[data-turn="2"]');
      mark.click();
      return {...first, second: audio.currentTime, start: Number(mark.dataset.t), tip: $(".tip").textContent};
    """
    found, console = visit(browser, folder, actions)
    assert console == []
    assert found["time"] == pytest.approx(found["asked"], abs=0.01) and found["now"] == "turn-4" and found["seen"]
    assert found["second"] == pytest.approx(found["start"], abs=0.01)
    assert "Turn 2: Find me a free meeting room" in found["tip"]
