// The page reads without this. With it: a slider over the events, a switch of theme, a four-colour deck.
(() => {
  const root = document.documentElement;
  const each = (selector, act) => document.querySelectorAll(selector).forEach(act);
  const dark = () => root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  each("[data-switch]", (button) => { button.hidden = false; });
  each('[data-switch="theme"]', (b) => b.addEventListener("click", () => { root.dataset.theme = dark() ? "light" : "dark"; }));
  each('[data-switch="cards"]', (b) => b.addEventListener("click", () => {
    const four = root.dataset.cards !== "four";
    root.dataset.cards = four ? "four" : "two";
    b.setAttribute("aria-pressed", String(four));
  }));
  each('[data-switch="print"]', (b) => b.addEventListener("click", () => print()));
  const slider = document.querySelector(".player input");
  if (!slider) return;
  const player = slider.closest(".player");
  const tables = [...document.querySelectorAll("figure[data-step]")];
  const show = (step) => {
    tables.forEach((table, at) => { table.hidden = at + 1 !== step; });
    each(".steps tr[data-step]", (row) => row.classList.toggle("now", Number(row.dataset.step) === step));
    slider.value = String(step);
    player.querySelector("output").textContent = `event ${step} of ${tables.length}`;
  };
  player.hidden = false;
  slider.addEventListener("input", () => show(Number(slider.value)));
  const by = (change) => show(Math.min(tables.length, Math.max(1, Number(slider.value) + change)));
  player.querySelector('[data-by="-1"]').addEventListener("click", () => by(-1));
  player.querySelector('[data-by="1"]').addEventListener("click", () => by(1));
  each(".steps tr[data-step]", (row) => row.addEventListener("click", () => show(Number(row.dataset.step))));
  // Paper shows the round as it ended.
  let before = tables.length;
  addEventListener("beforeprint", () => { before = Number(slider.value); show(tables.length); });
  addEventListener("afterprint", () => show(before));
  show(tables.length);
})();
