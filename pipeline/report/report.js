"use strict";
(() => {
  const STEPS = [1, 5, 15, 60, 300, 900];
  const audio = document.querySelector("audio");
  const scroller = document.querySelector(".tl");
  const calm = matchMedia("(prefers-reduced-motion: reduce)").matches;
  const clamp = (value, low, high) => Math.min(Math.max(value, low), high);
  const turns = [...document.querySelectorAll("article[data-start]")];
  let seek = (t) => { if (audio) audio.currentTime = t; };

  function showTurn(t) {
    let current = null;
    for (const turn of turns) if (Number(turn.dataset.start) <= t + 0.001) current = turn;
    for (const turn of document.querySelectorAll(".now")) turn.classList.remove("now");
    if (!current) return;
    current.classList.add("now");
    document.querySelector(`.m-turn[data-turn="${current.dataset.turn}"]`)?.classList.add("now");
  }

  if (audio) {
    audio.addEventListener("error", () => { document.querySelector(".missing").hidden = false; });
    audio.addEventListener("timeupdate", () => showTurn(audio.currentTime));
  }

  if (scroller) {
    const inner = scroller.querySelector(".tl-inner");
    const head = scroller.querySelector(".head");
    const tip = document.querySelector(".tip");
    const seconds = Number(inner.dataset.seconds);
    const lanes = scroller.querySelector(".lanes");
    const gutter = () => scroller.querySelector(".names").offsetWidth;
    const fit = () => (scroller.clientWidth - gutter()) / seconds;
    const xOf = (t) => gutter() + lanes.clientWidth * clamp(t / seconds, 0, 1);
    const timeAt = (clientX) => {
      const box = lanes.getBoundingClientRect();
      return clamp(((clientX - box.left) / box.width) * seconds, 0, seconds);
    };
    const marks = [...inner.querySelectorAll(".m")].sort((a, b) => a.dataset.t - b.dataset.t);
    let scale = Number(getComputedStyle(scroller).getPropertyValue("--pps"));
    let position = 0;

    const shape = (perSecond) => {
      scroller.dataset.density = perSecond >= 260 ? "close" : perSecond >= 75 ? "near" : perSecond >= 8 ? "far" : "overview";
      scroller.dataset.step = STEPS.find((step) => step * perSecond >= 58) ?? STEPS.at(-1);
    };
    const setScale = (perSecond) => {
      scale = clamp(perSecond, fit(), Math.max(fit(), 1200));
      scroller.style.setProperty("--pps", scale);
      shape(scale);
      tip.hidden = true;
    };
    const zoom = (perSecond) => {
      const middle = timeAt(scroller.getBoundingClientRect().left + scroller.clientWidth / 2);
      setScale(perSecond);
      scroller.scrollLeft = xOf(middle) - scroller.clientWidth / 2;
    };
    const moveHead = (t) => {
      position = t;
      head.style.left = `${100 * clamp(t / seconds, 0, 1)}%`;
    };
    const reveal = (t) => {
      const x = xOf(t);
      if (x < scroller.scrollLeft + gutter() || x > scroller.scrollLeft + scroller.clientWidth - 24) {
        scroller.scrollLeft = x - gutter() - 40;
      }
    };
    seek = (t) => {
      if (audio) audio.currentTime = t;
      moveHead(t);
      reveal(t);
      showTurn(t);
    };

    const showTip = (mark) => {
      const [time, ...story] = mark.getAttribute("aria-label").split(" — ");
      const bold = document.createElement("b");
      bold.textContent = time;
      tip.replaceChildren(bold, story.join(" — "));
      tip.hidden = false;
      const wrap = scroller.parentElement.getBoundingClientRect();
      const box = mark.getBoundingClientRect();
      tip.style.left = `${clamp(box.left - wrap.left, 8, wrap.width - tip.offsetWidth - 8)}px`;
      const above = box.top - wrap.top - tip.offsetHeight - 6;
      tip.style.top = `${above > -tip.offsetHeight / 2 ? above : box.bottom - wrap.top + 6}px`;
    };
    const nearest = (row, clientX) => {
      let best = null, distance = 24;
      for (const mark of row.querySelectorAll(".m")) {
        const box = mark.getBoundingClientRect();
        if (!box.width) continue;
        const gap = Math.max(box.left - clientX, clientX - box.right, 0);
        if (gap < distance) [best, distance] = [mark, gap];
      }
      return best;
    };

    lanes.addEventListener("click", (event) => {
      const row = event.target.closest(".row");
      const mark = event.target.closest(".m") ?? (row && nearest(row, event.clientX));
      const exact = mark && !mark.matches(".m-speech");
      seek(exact ? Number(mark.dataset.t) : timeAt(event.clientX));
      if (exact) showTip(mark); else tip.hidden = true;
    });
    inner.addEventListener("pointerover", (event) => {
      const mark = event.target.closest(".m");
      if (mark && event.pointerType === "mouse") showTip(mark);
    });
    inner.addEventListener("pointerout", (event) => { if (event.pointerType === "mouse") tip.hidden = true; });
    inner.addEventListener("focusin", (event) => { if (event.target.matches(".m:focus-visible")) showTip(event.target); });
    inner.addEventListener("focusout", () => { tip.hidden = true; });
    scroller.addEventListener("scroll", () => { if (!inner.contains(document.activeElement)) tip.hidden = true; }, { passive: true });

    const step = (direction) => {
      const shown = marks.filter((mark) => mark.offsetWidth);
      const current = shown.indexOf(document.activeElement);
      const from = current >= 0 ? current : shown.findIndex((mark) => Number(mark.dataset.t) >= position) - (direction > 0 ? 1 : 0);
      const target = shown[clamp(from + direction, 0, shown.length - 1)];
      if (!target) return;
      reveal(Number(target.dataset.t));
      target.focus({ preventScroll: true });
      showTip(target);
    };
    scroller.addEventListener("keydown", (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      const actions = {
        ArrowRight: () => step(1),
        ArrowLeft: () => step(-1),
        Home: () => step(-Infinity),
        End: () => step(Infinity),
        "+": () => zoom(scale * 1.5),
        "=": () => zoom(scale * 1.5),
        "-": () => zoom(scale / 1.5),
        Escape: () => { tip.hidden = true; },
      };
      if (!actions[event.key]) return;
      event.preventDefault();
      actions[event.key]();
    });
    document.querySelector(".zoom").addEventListener("click", (event) => {
      const how = event.target.dataset.zoom;
      if (how) zoom({ in: scale * 1.5, out: scale / 1.5, fit: 0 }[how]);
    });
    addEventListener("resize", () => setScale(scale));
    addEventListener("beforeprint", () => shape(600 / seconds));
    addEventListener("afterprint", () => shape(scale));

    if (audio) {
      const follow = () => {
        moveHead(audio.currentTime);
        if (!audio.paused) {
          reveal(audio.currentTime);
          requestAnimationFrame(follow);
        }
      };
      audio.addEventListener("play", follow);
      audio.addEventListener("seeked", follow);
    }
    setScale(scale);
  }

  document.addEventListener("click", (event) => {
    const button = event.target.closest("[data-seek]");
    if (!button) return;
    seek(Number(button.dataset.seek));
    if (audio) audio.play().catch(() => {});
    else scroller?.scrollIntoView({ block: "center", behavior: calm ? "auto" : "smooth" });
  });
  document.documentElement.dataset.ready = String(document.querySelectorAll("article.turn").length);
})();
