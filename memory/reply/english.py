"""Plans a reply in English from the user's words, memory and state."""

from __future__ import annotations

import re
from datetime import date

from memory.prompt_input import PromptInput
from memory.recency import days_between, recency_label
from memory.reply.changed import plan_change
from memory.reply.english_acts import Act, classify, strip_fillers, strip_polite
from memory.reply.evidence import Evidence, best_evidence, content_words, sentences
from memory.reply.known import known_answer
from memory.reply.plan import ReplyPlan
from memory.reply.returning import greeting_again
from memory.reply.second_person import capitalised, is_mandarin, second_person

# Longer statements are not repeated.
_REPEATED_WORDS = 24
_QUOTED_WORDS = 40

_PERSONAL = re.compile(r"\b(?:i|i['’]m|me|my|mine|we|our|us|remember)\b", re.IGNORECASE)
_TELL_ME = re.compile(r"\b(?:tell|remind|give|show|help) me\b|\bcan you hear me\b", re.IGNORECASE)
_POSSESSED = re.compile(r"\b(?:my|our)\s+([\w-]+)(?:['’]s)?(?:\s+([\w-]+))?", re.IGNORECASE)
_RELATIVE_TIME = re.compile(
    r"\b(?:today|tomorrow|yesterday|tonight|now|ago|in an? \w+|(?:this|next|last) \w+)\b", re.IGNORECASE
)
_SAD = re.compile(
    r"\b(?:died|dead|passed away|lost my|sad|ill|sick|hurt|hospital"
    r"|accident|afraid|lonely|broke up|terrible|awful|stressed|worried|depressed|crying)\b",
    re.IGNORECASE,
)
_ABOUT_AGENT = re.compile(
    r"\b(?:who are you|what(?: i|['’])s your name|what are you|what can you do|what do you do|are you (?:a|an) )",
    re.IGNORECASE,
)
_ABOUT_TASK = re.compile(
    r"\b(?:where were we|what(?:'s| is| was) (?:my|our|the) (?:current )?task|what did i (?:ask|want) you"
    r"|what are (?:we|you) (?:doing|working)|what am i (?:doing|looking))",
    re.IGNORECASE,
)
_CLOCK = re.compile(r"\bwhat time is it\b|\bwhat(?:'s| is) the time\b|\bthe time please\b", re.IGNORECASE)
_CALENDAR = re.compile(
    r"\bwhat day is (?:it|today)\b|\bwhat(?:'s| is) (?:the date|today)\b|\bwhich day is (?:it|today)\b", re.IGNORECASE
)
_NOT_DONE = (
    (r"\b(?:remind|wake|alarm|timer)", "No alarm is set yet"),
    (
        r"\b(?:book|reserve|find|room|table|ticket|flight|hotel|meeting|appointment|schedule|rent)",
        "Nothing is booked yet",
    ),
    (r"\b(?:order|buy|get|fetch)", "Nothing is ordered yet"),
    (r"\bpay", "Nothing is paid yet"),
    (r"\b(?:send|mail|email|write|invite|call|ring)", "Nothing has gone out yet"),
    (r"\b(?:delete|remove|cancel|forget)", "Nothing is deleted yet"),
)
_SMALL_TALK = {
    Act.GREETING: "Hello, I am {name}. What can I do for you?",
    Act.WELLBEING: "I am fine, thank you. How are you?",
    Act.THANKS: "You are welcome.",
    Act.GOODBYE: "Goodbye. I will remember what you told me.",
    Act.HOLD: "All right, I am listening.",
    Act.CANCEL: "All right, I will leave it at that.",
    Act.ACKNOWLEDGEMENT: "All right.",
}
_CHANGE = re.compile(
    r"(?:make (?:it|that)|change (?:it|that)(?: to)?|move (?:it|that) to|i (?:meant|mean)|rather)"
    r"\s+(?P<to>.+?)(?:\s+instead)?[.!?]*$",
    re.IGNORECASE,
)
_INSTEAD = re.compile(r"(?P<to>[^,.]+?)\s+instead[.!?]*$", re.IGNORECASE)
_TAKEN_BACK = re.compile(r"^(?:(?:wait|no|sorry|actually|hold on|oh|not that|please)\b[\s,.]*)+", re.IGNORECASE)


def plan_english(prompt: PromptInput) -> ReplyPlan:
    """Plan the reply to one English turn, which may hold several sentences.

    A question decides the reply. Otherwise what was stated is taken note of, then what is to be done;
    small talk is answered when there is nothing else.
    """
    called = re.compile(
        rf"^\W*(?:(?:hey|hi|hello|okay|ok)\s+)?{re.escape(prompt.agent_name)}\b[\s,.!]+(?=\w)", re.IGNORECASE
    )
    parts = [(classify(line), line) for line in sentences(called.sub("", prompt.user_text))] or [
        (Act.ACKNOWLEDGEMENT, "")
    ]
    asks = any(act == Act.QUESTION for act, _ in parts)
    changed = plan_change(prompt, _not_done(str(prompt.state.get("task", ""))), "en")
    if changed and (len(parts) == 1 or not asks):
        return changed
    for act, line in reversed(parts):
        if act == Act.QUESTION:
            return _answer(prompt, line)
    said = [_say(act, line, prompt) for act, line in parts if act in (Act.STATEMENT, Act.CORRECTION, Act.TASK)]
    if said:
        main = next(act for act in (Act.TASK, Act.CORRECTION, Act.STATEMENT) if any(part[0] == act for part in parts))
        return ReplyPlan(main, " ".join([said[0], *(re.sub(r"^All right, ", "And ", text) for text in said[1:])]))
    act = parts[-1][0]
    if act in (Act.CONTINUE, Act.REPEAT):
        return ReplyPlan(act, _again(act, prompt))
    if act == Act.GREETING and (again := greeting_again(prompt, "en")):
        return ReplyPlan(act, again)
    return ReplyPlan(act, _SMALL_TALK[act].format(name=prompt.agent_name))


def _say(act: Act, line: str, prompt: PromptInput) -> str:
    if act == Act.TASK:
        return _task(line, prompt)
    if act == Act.CORRECTION:
        return _correction(line, prompt)
    return _statement(line, prompt)


def _answer(prompt: PromptInput, question: str) -> ReplyPlan:
    fixed = _fixed_answer(prompt, question)
    if fixed:
        return ReplyPlan("answer", fixed)
    evidence = best_evidence(question, prompt.recalled)
    personal = bool(_PERSONAL.search(_TELL_ME.sub("", question)))
    if evidence is None or (evidence.overlap == 0 and not personal):
        if personal:
            return ReplyPlan("unknown", "I do not know that yet. If you tell me, I will remember it.")
        return ReplyPlan(
            "unknown", "I do not know that. Without a bigger language model, I only know what you have told me."
        )
    told, quote = _told(evidence, prompt)
    if evidence.overlap == 0 or not _names_what_is_asked(question, evidence):
        return ReplyPlan("unsure", f"I am not sure about that. What I do remember: {quote}.")
    earlier_day = days_between(evidence.item.said_at, prompt.now) > 0 if evidence.item.said_at > 0 else False
    stale = earlier_day and bool(_RELATIVE_TIME.search(evidence.text))
    short = len(evidence.text.split()) <= _QUOTED_WORDS
    ask = short and not stale and not is_mandarin(evidence.text)
    return ReplyPlan("recall", f"{capitalised(quote)}.", ask, strip_fillers(question), f"{capitalised(told)}.")


def _fixed_answer(prompt: PromptInput, question: str) -> str:
    if _ABOUT_AGENT.search(question):
        return f"I am {prompt.agent_name}. I listen, I remember what you tell me, and I answer when you ask for it."
    if _CLOCK.search(question):
        return f"It is {prompt.now.hour}:{prompt.now:%M}."
    if _CALENDAR.search(question):
        return f"It is {_spoken_date(prompt.now.date())}."
    if known := known_answer(question, prompt.state, "en"):
        return known
    if _ABOUT_TASK.search(question) and prompt.state.get("task"):
        return f"{capitalised(_wish(str(prompt.state['task'])))}. {_not_done(str(prompt.state['task']))}."
    return ""


def _told(evidence: Evidence, prompt: PromptInput) -> tuple[str, str]:
    """The evidence about the user, and the same as a quotation with its time."""
    words = evidence.text.split()
    text = " ".join(words[:_QUOTED_WORDS]) + ("…" if len(words) > _QUOTED_WORDS else "")
    if classify(text) in (Act.TASK, Act.CORRECTION) and not is_mandarin(text):
        told = f"you asked me to {_task_form(text)}"
        quote = told
    else:
        told = second_person(strip_fillers(text))
        quote = f"you told me that {told}" if len(words) > 2 else f"you told me: {told}"
    if evidence.item.said_at > 0 and days_between(evidence.item.said_at, prompt.now) > 0:
        quote = f"{recency_label(evidence.item.said_at, prompt.now, 'en')}, {quote}"
    return told, quote


def _names_what_is_asked(question: str, evidence: Evidence) -> bool:
    """Whether "my cat" of the question is in the evidence at all."""
    known = content_words(evidence.text)
    for match in _POSSESSED.finditer(question):
        things = content_words(" ".join(filter(None, match.groups())))
        if things and not things & known:
            return False
    return True


def _statement(line: str, prompt: PromptInput) -> str:
    text = second_person(strip_fillers(_TAKEN_BACK.sub("", line) or line))
    if _SAD.search(line):
        return "I am sorry to hear that. I will remember it."
    if len(text.split()) > _REPEATED_WORDS:
        return "Thank you for telling me. I will remember all of that."
    if re.match(r"(?:I|I['’]m)\b", text):
        return "Thank you for telling me."
    forms = (
        "Thank you, I will remember that {0}.",
        "Good to know. I will remember that {0}.",
        "All right, I will keep in mind that {0}.",
    )
    form = (
        forms[len(prompt.history) // 2 % len(forms)]
        if len(text.split()) > 2
        else "All right, {0}. I will remember that."
    )
    return form.format(text)


def _task(line: str, prompt: PromptInput) -> str:
    core = _TAKEN_BACK.sub("", strip_fillers(line))
    when = _date_of_task(line, prompt)
    return (
        f"All right, {_wish(core)}{when}. I have noted it. {_not_done(line)}, so tell me if I should change anything."
    )


def _wish(task: str) -> str:
    if strip_polite(task) == task and re.match(r"i\b", task, re.IGNORECASE):
        return second_person(task)
    return f"you want me to {_task_form(task)}"


def _task_form(line: str) -> str:
    core = strip_polite(_TAKEN_BACK.sub("", strip_fillers(line)))
    text = second_person(strip_polite(core)).rstrip("?")
    return text[:1].lower() + text[1:]


def _correction(line: str, prompt: PromptInput) -> str:
    core = _TAKEN_BACK.sub("", strip_fillers(line))
    match = _CHANGE.search(core) or _INSTEAD.search(core)
    changed = second_person(match["to"]) if match else second_person(core)
    if not prompt.state.get("task"):
        return f"All right, {changed}. I will remember that."
    return (
        f"All right, {changed} then. I have noted the change, and the rest stays as it was. "
        f"{_not_done(str(prompt.state['task']))}."
    )


def _not_done(task: str) -> str:
    for pattern, text in _NOT_DONE:
        if re.search(pattern, task, re.IGNORECASE):
            return text
    return "Nothing is done yet"


def _date_of_task(line: str, prompt: PromptInput) -> str:
    """Spell out "tomorrow": the date that the state gives to this task, such as ", that is Wednesday, March 11"."""
    facts = prompt.state.get("facts") or {}
    task = content_words(str(prompt.state.get("task", "")))
    if not task or len(task & content_words(line)) * 2 < len(task) or not _RELATIVE_TIME.search(line):
        return ""
    try:
        return f", that is {_spoken_date(date.fromisoformat(str(facts.get('date', ''))))}"
    except ValueError:
        return ""


def _spoken_date(day: date) -> str:
    return f"{day:%A}, {day:%B} {day.day}"


def _again(act: Act, prompt: PromptInput) -> str:
    if act == Act.CONTINUE and prompt.cut_off is not None and prompt.cut_off[1].strip():
        return f"I was saying: {prompt.cut_off[1].strip()}"
    last = next((message.text for message in reversed(prompt.history) if message.role == "assistant"), "")
    return last or "I have not said anything yet."
