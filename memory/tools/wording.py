"""What the agent says around tools, in plain words: the question, the wait, the failure, the result."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from memory.state_tools import CallStatus, Option
from memory.tools.names import phrase_of, said_value, said_values
from memory.tools.outcome import Outcome
from memory.tools.spec import ToolSpec

_SPOKEN_OPTIONS = 3
_NUMBERS_EN = "no one two three four five six seven eight nine ten".split()
_NUMBERS_ZH = "零一两三四五六七八九十"
_TRAITS_EN = {
    "window": "by the window",
    "quiet": "quiet",
    "large": "large",
    "small": "small",
    "video": "with video",
}
_TRAITS_ZH = {
    "window": "靠窗",
    "projector": "有投影",
    "whiteboard": "有白板",
    "video conferencing": "有视频会议",
    "video": "有视频会议",
    "screen": "有屏幕",
    "quiet": "安静",
    "large": "大",
    "small": "小",
}


def moment(language: str) -> str:
    """What bridges a long call."""
    return "请稍等。" if language == "zh" else "One moment, please."


def gives_up(language: str) -> str:
    """Ends a turn in which calls led to calls."""
    return "抱歉，这件事我没有办成。" if language == "zh" else "Sorry, I could not get that done."


def describe(
    spec: ToolSpec | None,
    name: str,
    arguments: Mapping[str, Any],
    task: str,
    language: str,
    facts: Mapping[str, str] | None = None,
) -> str:
    """A call in the user's words: the task, and the values that it does not hold already.

    Args:
        spec: The tool, if it is known.
        name: Its name.
        arguments: Of the call.
        task: In the user's words; empty for what the tool is called.
        language: ``en`` or ``zh``.
        facts: Of the task; a bare number is said as the fact it stands for: 60 as 60 euros.
    """
    phrase = task or (phrase_of(spec, language) if spec is not None else name.replace("_", " "))
    plain = phrase.casefold()
    told = {key: _as_fact(value, facts or {}, language) for key, value in arguments.items()}
    values = [value for value in said_values(told, language) if value.casefold() not in plain]
    return ("，" if language == "zh" else ", ").join([phrase.rstrip(".。"), *values])


def _as_fact(value: Any, facts: Mapping[str, str], language: str) -> Any:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return value
    if facts.get("amount", "").startswith(f"{value:g} "):
        return facts["amount"]
    if facts.get("people") == f"{value:g}":
        return f"{value:g}个人" if language == "zh" else f"{value:g} {'person' if value == 1 else 'people'}"
    return value


def question(descriptions: Sequence[str], language: str) -> str:
    """Asks for the yes without which nothing happens."""
    if language == "zh":
        what = "；".join(descriptions)
        return f"跟您确认一下：{what}。现在办吗？" if what else "这件事还没有办，要现在办吗？"
    what = "; and ".join(descriptions)
    return f"To be sure: {what}. Shall I go ahead?" if what else "I have not done that yet. Shall I go ahead?"


def left(language: str) -> str:
    """Says that what waited will not be done."""
    return "好的，那就不办了。" if language == "zh" else "All right, I will leave it. Nothing was done."


def still_waiting(language: str) -> str:
    """Says that nothing happens without a yes."""
    if language == "zh":
        return "好的，先不办，您想好了告诉我。"
    return "All right, nothing is done yet. Just say yes when I should go ahead."


def failed(description: str, status: CallStatus, reason: str, *, risky: bool, language: str) -> str:
    """Says what went wrong, without technical detail."""
    if language == "zh":
        if status == "timed_out":
            return (
                f"{description}：对方一直没有回应，我不确定有没有办成。"
                if risky
                else "抱歉，查询一直没有回应，请稍后再试。"
            )
        return f"抱歉，没有办成：{reason}。" if reason else "抱歉，这件事没有办成。"
    if status == "timed_out":
        return (
            f"I got no answer, so I do not know whether this went through: {description}."
            if risky
            else "Sorry, I got no answer in time. Please try again later."
        )
    return f"Sorry, that did not work: {reason}." if reason else "Sorry, that did not work."


def done(description: str, outcome: Outcome | None, language: str) -> str:
    """Says that a risky call was done, with what came of it."""
    known = {} if outcome is None else outcome.facts
    news = {key: value for key, value in known.items() if value.casefold() not in description.casefold()}
    facts = [
        f"{key.replace('_', ' ')} {said}" for key in list(news)[:2] for said in said_values({key: news[key]}, language)
    ]
    if language == "zh":
        return f"办好了：{description}{'，' if facts else ''}{'，'.join(facts)}。"
    return f"That is done: {description}{', ' if facts else ''}{', '.join(facts)}."


def found(outcome: Outcome, language: str) -> str:
    """Says what a look-up found."""
    if outcome.count is not None:
        return _listed(outcome, language)
    if isinstance(outcome.value, str) and outcome.value.strip():
        return " ".join(outcome.value.split())[:200]
    if outcome.facts:
        pairs = [
            f"{key.replace('_', ' ')} {said_values({key: value}, language)[0]}" for key, value in outcome.facts.items()
        ]
        return ("，".join(pairs) + "。") if language == "zh" else ("This is what I found: " + ", ".join(pairs) + ".")
    return "查好了。" if language == "zh" else "That is done."


def _listed(outcome: Outcome, language: str) -> str:
    count = outcome.count or 0
    if not count or not outcome.options:
        return "没有找到符合的。" if language == "zh" else "I found nothing that fits."
    shown = [_option(option, language) for option in outcome.options[:_SPOKEN_OPTIONS]]
    more = count - len(shown)
    if language == "zh":
        number = _NUMBERS_ZH[count] if count <= 10 else str(count)
        return f"找到{number}个：{'，'.join(shown)}{f'，另外还有{more}个' if more else ''}。"
    number = _NUMBERS_EN[count] if count <= 10 else str(count)
    if more:
        shown.append(f"and {more} more")
    elif len(shown) > 1:
        shown[-1] = f"and {shown[-1]}"
    return f"I found {number}: {', '.join(shown) if len(shown) != 2 else ' '.join(shown)}."


def _option(option: Option, language: str) -> str:
    """A thing with what sets it apart: what it has, then what is said of it."""
    traits = [trait.strip() for trait in option.description.split(",") if trait.strip()]
    has = {key.replace("_", " ") for key, value in option.details.items() if value == "true"}
    plain = [said_value("", trait, language) for trait in traits if trait not in has][:2]
    held = [trait for trait in traits if trait in has][:2]
    if language == "zh":
        name = option.id + "".join(_TRAITS_ZH.get(trait.casefold(), f"有{trait}") for trait in held)
        return " ".join([name, *plain]) if plain else name
    said = [_TRAITS_EN.get(trait.casefold(), f"with {_article(trait)}{trait}") for trait in held]
    return " ".join(filter(None, [option.id, " and ".join(said), *plain]))


def _article(noun: str) -> str:
    if noun.endswith("s") or not noun.isascii() or " " in noun:
        return ""
    return "an " if noun[:1].casefold() in "aeiou" else "a "
