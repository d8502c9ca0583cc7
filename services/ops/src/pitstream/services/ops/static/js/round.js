// The slider over a round's events. Each place is a part of a page that the server tells; the ones beside it are fetched before.
import { Idiomorph } from "../vendor/idiomorph/idiomorph.esm.js";

const slider = document.querySelector("[data-slider]");
const stage = document.querySelector("[data-stage]");
const label = document.querySelector("[data-at]");
const last = Number(slider.max);
const kept = new Map();
let playing = 0;

const part = (n) => {
  if (!kept.has(n)) {
    kept.set(n, fetch(`${slider.dataset.src}/${n}`).then((answer) => {
      if (!answer.ok) throw new Error(`the server answered ${answer.status}`);
      return answer.text();
    }).catch((error) => { kept.delete(n); throw error; }));
  }
  return kept.get(n);
};

async function go(n) {
  const at = Math.min(last, Math.max(1, n));
  slider.value = String(at);
  slider.setAttribute("aria-valuetext", `event ${at} of ${last}`);
  label.textContent = `${at} / ${last}`;
  history.replaceState(null, "", at === last ? location.pathname : `?at=${at}`);
  for (const step of document.querySelectorAll("[data-step]")) {
    const here = Number(step.dataset.step) === at;
    step.toggleAttribute("aria-current", here);
    if (here) step.scrollIntoView({ block: "nearest" });
  }
  try {
    const html = await part(at);
    if (Number(slider.value) !== at) return;
    Idiomorph.morph(stage, html, { morphStyle: "innerHTML" });
    stage.dataset.shows = String(at);
    stage.dataset.state = "fresh";
  } catch (error) {
    stage.dataset.state = "error";
    stage.querySelector("[data-stage-error]")?.removeAttribute("hidden");
    label.textContent = `${at} / ${last}: ${error.message}`;
  }
  for (const near of [at + 1, at - 1]) if (near >= 1 && near <= last) part(near).catch(() => {});
}

function play(button) {
  clearInterval(playing);
  if (button.getAttribute("aria-pressed") === "true") {
    button.setAttribute("aria-pressed", "false");
    return;
  }
  button.setAttribute("aria-pressed", "true");
  if (Number(slider.value) >= last) go(1);
  playing = setInterval(() => {
    if (Number(slider.value) >= last) return play(button);
    go(Number(slider.value) + 1);
  }, 700);
}

slider.addEventListener("input", () => go(Number(slider.value)));
document.addEventListener("click", (event) => {
  const move = event.target.closest("[data-move]");
  if (move) go({ first: 1, back: Number(slider.value) - 1, on: Number(slider.value) + 1, last }[move.dataset.move]);
  const step = event.target.closest("[data-step]");
  if (step) go(Number(step.dataset.step));
  const button = event.target.closest("[data-play]");
  if (button) play(button);
});
addEventListener("ops-key", ({ detail }) => {
  const moves = { ArrowLeft: -1, ArrowRight: 1 };
  if (moves[detail.key]) go(Number(slider.value) + moves[detail.key]);
  if (detail.key === " ") { detail.preventDefault(); play(document.querySelector("[data-play]")); }
});
