// What every page has: theme, clock, shortcuts, the live stream, forms that answer in place.
import { listen, status } from "./live.js";
import { told } from "./panel.js";

// Only pages with panels have charts, and the floor must not wait for what draws them.
if (document.querySelector("ops-panel")) import("./chart.js");

const root = document.documentElement;
const one = (selector) => document.querySelector(selector);
const remember = (name, value) => {
  document.cookie = `${name}=${value}; path=/; max-age=31536000; SameSite=Lax${location.protocol === "https:" ? "; Secure" : ""}`;
};

// Theme: the system's until somebody chooses.
one("[data-theme-switch]")?.addEventListener("click", () => {
  const dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  root.dataset.theme = dark ? "light" : "dark";
  remember("ops_theme", root.dataset.theme);
  dispatchEvent(new CustomEvent("ops-theme"));
});
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => dispatchEvent(new CustomEvent("ops-theme")));

// Suits in four colours: the style sheet has both.
one("[data-cards-switch]")?.addEventListener("click", (event) => {
  root.dataset.cards = root.dataset.cards === "four" ? "two" : "four";
  remember("ops_cards", root.dataset.cards);
  event.currentTarget.setAttribute("aria-pressed", String(root.dataset.cards === "four"));
});

// The property's clock.
const clock = one("[data-clock]");
if (clock) {
  const format = new Intl.DateTimeFormat("en-GB", { timeZone: root.dataset.zone, hour: "2-digit", minute: "2-digit", second: "2-digit", hourCycle: "h23" });
  const tick = () => { clock.textContent = format.format(new Date()); };
  tick();
  setInterval(tick, 1000);
}

// How fresh the page is.
const pulse = one("[data-pulse]");
if (pulse) {
  const words = { live: "Live", off: "Not connected: trying again" };
  const show = () => {
    const text = status.state === "stale" ? `No data for ${told(Math.round((Date.now() - status.heardAt) / 1000))}` : words[status.state];
    if (pulse.textContent !== text) pulse.textContent = text;
    pulse.dataset.state = status.state;
    // What only the stream keeps fresh says so when it is silent.
    for (const panel of document.querySelectorAll("[data-by-stream]")) {
      panel.dataset.state = status.state === "live" ? "fresh" : status.state === "off" && status.heardAt === 0 ? "loading" : status.state === "off" ? "error" : "stale";
      panel.querySelector(".age").textContent = status.state === "live" || status.heardAt === 0 ? "" : text;
    }
  };
  addEventListener("ops-pulse", show);
  if (root.dataset.live) listen(root.dataset.live);
}

// Shortcuts; the list under ? is made by the page, and holds all of them.
const GO = { f: "/", p: "/progressives", m: "/money", h: "/condition", d: "/disputes" };
const GO_MS = 1500;
let going = 0;
addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.target.closest("input, select, textarea, dialog[open]") && event.key !== "Escape") return;
  const wait = Date.now() - going < GO_MS;
  going = 0;
  if (wait && GO[event.key]) return void (location.href = GO[event.key]);
  switch (event.key) {
    case "g": going = Date.now(); break;
    case "/": event.preventDefault(); one("[data-search]")?.focus(); break;
    case "?": one("#shortcuts")?.showModal(); break;
    case "t": one("[data-theme-switch]")?.click(); break;
    case "c": one("[data-cards-switch]")?.click(); break;
    case "r": for (const panel of document.querySelectorAll("ops-panel")) panel.refresh(); break;
    default: dispatchEvent(new CustomEvent("ops-key", { detail: event }));
  }
});

document.addEventListener("click", (event) => {
  const opens = event.target.closest("[data-open]");
  if (opens) document.getElementById(opens.dataset.open)?.showModal();
  if (event.target.closest("[data-close]")) event.target.closest("dialog").close();
  if (event.target.closest("[data-print]")) print();
  if (event.target.closest("[data-full]")) {
    const what = document.getElementById(event.target.closest("[data-full]").dataset.full);
    if (document.fullscreenElement) document.exitFullscreen(); else what.requestFullscreen?.();
  }
});

// An action answers where it was asked. Without this script the form is sent as any other and comes back as a page.
// (crypto.randomUUID is there on HTTPS alone.)
const newId = () => [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
document.addEventListener("submit", async (event) => {
  const form = event.target.closest("form[data-action]");
  if (!form) return;
  event.preventDefault();
  const told = form.querySelector("[data-told]");
  const pressed = event.submitter;
  // A button that is off is no part of what the form says.
  const said = new URLSearchParams(new FormData(form, pressed));
  pressed.disabled = true;
  told.className = "told";
  told.hidden = false;
  told.textContent = "Asking…";
  try {
    const answer = await fetch(pressed.getAttribute("formaction") ?? form.action, { method: "POST", body: said, headers: { Accept: "application/json" } });
    const body = await answer.json();
    told.className = `told ${answer.ok ? "good" : "bad"}`;
    told.textContent = answer.ok ? form.dataset.done : `${body.message ?? body.detail} (${body.code})`;
    // An id has one answer for ever: what is asked after this one is another command.
    if (answer.status < 500) form.elements.namedItem("command_id")?.setAttribute("value", newId());
    if (answer.ok) {
      form.reset();
      for (const panel of document.querySelectorAll("ops-panel")) panel.refresh();
      if (form.closest("dialog") && form.hasAttribute("data-closes")) setTimeout(() => form.closest("dialog").close(), 1200);
    }
  } catch (error) {
    told.className = "told bad";
    told.textContent = `The answer did not come: ${error.message}. Nothing is done twice if you send it again.`;
  } finally {
    pressed.disabled = false;
  }
});
