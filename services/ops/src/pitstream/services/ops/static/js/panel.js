// <ops-panel src="…" on="table-events" every="15">: a part of the page that the server renders again when something of it
// has changed. It says how old it is, keeps what it shows when the server cannot be asked, and says that too.
import { Idiomorph } from "../vendor/idiomorph/idiomorph.esm.js";
import { on, status } from "./live.js";

/** What a script has drawn is no part of what the server renders; neither is what somebody has begun to say in a form
 * and was answered there. A form's id is its action, so that it stays itself whatever comes or goes beside it. */
function changes(old) {
  if (old.hasAttribute?.("data-keep")) return false;
  if (!old.matches?.("form[data-action] :is(input, textarea, select, [data-told])")) return true;
  if (old.matches("select")) return false;
  if (old.matches("[data-told]")) return old.hidden;
  return old.name !== "command_id" && old.value === old.defaultValue && old.checked === old.defaultChecked;
}
const stays = (old) => !old.hasAttribute?.("data-keep");
const PACE_MS = 400;
const RETRY_MS = 4000;

class Panel extends HTMLElement {
  connectedCallback() {
    this.pending = false;
    this.asking = false;
    this.again = false;
    this.askedAt = 0;
    this.offs = (this.getAttribute("on") ?? "").split(" ").filter(Boolean)
      .map((kind) => on(kind, (list) => this.matches(list) && this.refresh()));
    const every = Number(this.getAttribute("every") ?? 0);
    if (every) this.timer = setInterval(() => document.hidden || this.refresh(), every * 1000);
    this.clock = setInterval(() => this.age(), 1000);
    this.addEventListener("click", (event) => event.target.closest("[data-again]") && this.refresh());
    if (this.dataset.state === "loading") this.refresh();
    this.age();
  }

  disconnectedCallback() {
    for (const off of this.offs) off();
    clearInterval(this.timer);
    clearInterval(this.clock);
    clearTimeout(this.later);
  }

  /** Only messages about what the panel shows; `about="uth-01"` names it. */
  matches(list) {
    const about = this.getAttribute("about");
    return !about || list.some((message) => Object.values(message)[0].some((one) => one.table === about || one.network === about));
  }

  refresh() {
    // What is on its way may be from before the change that this is about.
    this.again ||= this.asking;
    if (this.pending) return;
    this.pending = true;
    const wait = Math.max(0, this.askedAt + PACE_MS - Date.now());
    this.later = setTimeout(() => this.ask(), wait);
  }

  async ask() {
    this.askedAt = Date.now();
    this.asking = true;
    this.again = false;
    this.setAttribute("aria-busy", "true");
    try {
      const answer = await fetch(this.getAttribute("src"), { headers: { "X-Panel": "1" }, credentials: "same-origin" });
      if (answer.redirected || answer.status === 401) return location.reload();
      if (!answer.ok) throw new Error(`the server answered ${answer.status}`);
      this.show(await answer.text());
    } catch (error) {
      this.fail(error);
    } finally {
      this.removeAttribute("aria-busy");
      this.asking = this.pending = false;
      if (this.again && this.isConnected) this.refresh();
    }
  }

  show(html) {
    const fresh = new DOMParser().parseFromString(html, "text/html").querySelector("ops-panel");
    if (!fresh) throw new Error("the answer is no panel");
    for (const name of ["data-as-of-us", "data-stale-after-s", "data-state"]) {
      if (fresh.hasAttribute(name)) this.setAttribute(name, fresh.getAttribute(name));
    }
    Idiomorph.morph(this, fresh.innerHTML, { morphStyle: "innerHTML", ignoreActiveValue: true,
      callbacks: { beforeNodeMorphed: changes, beforeNodeRemoved: stays } });
    this.age();
    this.dispatchEvent(new CustomEvent("shown", { bubbles: true }));
  }

  fail(error) {
    this.dataset.state = "error";
    const bones = this.querySelector(".bones");
    if (bones) {
      const note = document.createElement("div");
      note.className = "blank";
      note.innerHTML = "<b>This cannot be shown just now</b><p></p><p><button type=button data-again>Try again</button></p>";
      note.querySelector("p").textContent = error.message;
      bones.replaceWith(note);
    }
    this.label(`not refreshed: ${error.message}`);
    setTimeout(() => this.refresh(), RETRY_MS);
  }

  age() {
    if (this.dataset.state === "error" || !this.dataset.asOfUs) return;
    // What would have changed is told on the live stream: as long as that speaks, nothing has.
    const at = Math.max(Number(this.dataset.asOfUs) / 1000, this.offs.length ? status.heardAt : 0);
    const seconds = Math.max(0, Math.round((Date.now() - at) / 1000));
    const isStale = seconds > Number(this.dataset.staleAfterS);
    this.dataset.state = isStale ? "stale" : "fresh";
    this.label(isStale ? `no data for ${told(seconds)}` : "");
  }

  label(text) {
    const age = this.querySelector(":scope > header .age");
    if (age && age.textContent !== text) age.textContent = text;
  }
}

export const told = (s) => s < 120 ? `${s} s` : s < 7200 ? `${Math.round(s / 60)} min` : `${Math.round(s / 3600)} h`;

customElements.define("ops-panel", Panel);
