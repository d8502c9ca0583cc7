// One stream of server-sent events for the page. What comes is gathered and handed out once a frame.
import { read } from "./money.js";

const listeners = new Map();
let waiting = [];
let frame = 0;
let source = null;

const STALE_AFTER_MS = 6000;
export const status = { state: "off", heardAt: 0 };

/** Calls `heard(list of data)` once a frame with all messages of a kind that came since. */
export function on(kind, heard) {
  if (!listeners.has(kind)) {
    listeners.set(kind, new Set());
    source?.addEventListener(kind, take);
  }
  listeners.get(kind).add(heard);
  return () => listeners.get(kind).delete(heard);
}

export function listen(url) {
  source = new EventSource(url);
  source.addEventListener("open", () => heard());
  source.addEventListener("error", () => tell("off"));
  source.addEventListener("heard", () => heard());
  for (const kind of listeners.keys()) source.addEventListener(kind, take);
  setInterval(watch, 1000);
  addEventListener("pagehide", () => source.close());
}

function heard() {
  status.heardAt = Date.now();
  tell("live");
}

function take(message) {
  heard();
  waiting.push([message.type, read(message.data)]);
  frame ||= requestAnimationFrame(handOut);
  // A page in the background gets no frames: it must not gather for ever.
  if (waiting.length > 5000) handOut();
}

function handOut() {
  cancelAnimationFrame(frame);
  frame = 0;
  const kinds = Map.groupBy ? Map.groupBy(waiting, ([kind]) => kind) : grouped(waiting);
  waiting = [];
  for (const [kind, list] of kinds) {
    const data = list.map(([, one]) => one);
    for (const heard of listeners.get(kind) ?? []) heard(data);
  }
}

function grouped(list) {
  const kinds = new Map();
  for (const one of list) kinds.set(one[0], [...(kinds.get(one[0]) ?? []), one]);
  return kinds;
}

function watch() {
  if (source.readyState === EventSource.CLOSED) return tell("off");
  if (status.state !== "off" && Date.now() - status.heardAt > STALE_AFTER_MS) tell("stale");
  else dispatchEvent(new CustomEvent("ops-pulse"));
}

function tell(state) {
  status.state = state;
  dispatchEvent(new CustomEvent("ops-pulse"));
}
