// <ops-chart>: a line for each column of the table inside it, drawn with uPlot. The table is the chart's text: what is drawn
// is what can be read, copied and saved. Amounts are drawn from their digits; only the pixel's place is a float.
import uPlot from "../vendor/uplot/uPlot.esm.js";

const TIMES_S = [60, 120, 300, 600, 900, 1800, 3600, 7200, 14_400, 28_800, 86_400, 604_800];

class Chart extends HTMLElement {
  connectedCallback() {
    // Whoever put it here may have put its table there a moment later.
    queueMicrotask(() => this.isConnected && this.querySelector(":scope > table") && this.begin());
  }

  begin() {
    this.canvas = document.createElement("div");
    this.canvas.className = "canvas";
    this.canvas.setAttribute("data-keep", "");
    this.prepend(this.canvas);
    this.draw();
    this.sizes = new ResizeObserver(() => this.plot?.setSize(this.size()));
    this.sizes.observe(this);
    this.changes = new MutationObserver(() => {
      clearTimeout(this.soon);
      this.soon = setTimeout(() => this.draw(), 50);
    });
    this.changes.observe(this.querySelector(":scope > table"), { childList: true, subtree: true, characterData: true, attributes: true });
    this.themed = () => this.draw();
    addEventListener("ops-theme", this.themed);
    this.closest(".panel")?.addEventListener("click", (event) => {
      if (event.target.closest("[data-save=csv]")) save(this.csv(), "text/csv", `${this.name}.csv`);
      if (event.target.closest("[data-save=png]")) this.png();
    });
  }

  disconnectedCallback() {
    this.sizes?.disconnect();
    this.changes?.disconnect();
    removeEventListener("ops-theme", this.themed);
    this.plot?.destroy();
    this.plot = null;
  }

  get name() { return this.getAttribute("name") ?? "chart"; }

  size() { return { width: Math.max(240, this.clientWidth), height: Number(this.getAttribute("height") ?? 240) }; }

  /** The table: its heads, and its rows of exact values (`data-v`) and of what is shown. */
  read() {
    const table = this.querySelector(":scope > table");
    const heads = [...table.tHead.rows[0].cells].map((cell) => cell.textContent.trim());
    const rows = [...table.tBodies[0].rows].map((row) => [...row.cells].map((cell) => cell.dataset.v ?? cell.textContent.trim()));
    return { heads, rows };
  }

  draw() {
    const { heads, rows } = this.read();
    const scale = 10 ** Number(this.getAttribute("scale") ?? 0);
    const isTime = this.hasAttribute("time");
    const columns = heads.map((_, at) => rows.map((row) => {
      const value = row[at];
      return value === "" || value === undefined ? null : Number(value) / (at ? scale : isTime ? 1e6 : 1);
    }));
    const css = getComputedStyle(this);
    const colour = (name) => css.getPropertyValue(name).trim();
    const font = `11.5px ${css.fontFamily}`;
    const zone = document.documentElement.dataset.zone;
    const figures = new Intl.NumberFormat("en-US", { notation: "compact", maximumFractionDigits: 2 });
    const axis = { stroke: colour("--ink-2"), font, grid: { stroke: colour("--line"), width: 1 }, ticks: { show: false }, gap: 8 };
    const labels = this.getAttribute("labels")?.split("|");
    const clock = new Intl.DateTimeFormat("en-GB", { timeZone: zone, hour: "2-digit", minute: "2-digit", hourCycle: "h23" });
    const shown = labels ? { splits: () => labels.map((_, at) => at), values: (_, at) => at.map((one) => labels[one] ?? "") }
      : isTime ? { values: (_, at) => at.map((one) => clock.format(one * 1000)), space: 64, incrs: TIMES_S } : {};
    const series = heads.slice(1).map((label, at) => ({
      label, stroke: colour(`--series-${(at % 5) + 1}`), width: 2, points: { show: rows.length < 40 || this.hasAttribute("points"), size: this.hasAttribute("points") ? 9 : 5 },
      fill: heads.length === 2 && !this.hasAttribute("points") ? colour(`--series-1`) + "1c" : undefined, spanGaps: true,
      paths: this.hasAttribute("points") ? () => null : this.hasAttribute("stepped") ? uPlot.paths.stepped({ align: 1 }) : undefined,
    }));
    this.plot?.destroy();
    this.plot = new uPlot({
      ...this.size(),
      cursor: { points: { size: 7 }, drag: { x: true, y: false } },
      legend: { live: heads.length > 1 },
      tzDate: (ts) => (zone ? uPlot.tzDate(new Date(ts * 1e3), zone) : new Date(ts * 1e3)),
      scales: { x: { time: isTime } },
      series: [{ label: heads[0] }, ...series],
      axes: [
        { ...axis, ...shown },
        { ...axis, size: 62, values: (_, at) => at.map((one) => figures.format(one)) },
      ],
    }, columns, this.canvas);
  }

  csv() {
    const { heads, rows } = this.read();
    const cell = (text) => (/[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : /^[=+@]/.test(text) ? `'${text}` : text);
    return [heads, ...rows].map((row) => row.map(cell).join(",")).join("\r\n") + "\r\n";
  }

  png() {
    const from = this.plot.ctx.canvas;
    const to = document.createElement("canvas");
    [to.width, to.height] = [from.width, from.height];
    const ctx = to.getContext("2d");
    ctx.fillStyle = getComputedStyle(this).getPropertyValue("--surface");
    ctx.fillRect(0, 0, to.width, to.height);
    ctx.drawImage(from, 0, 0);
    to.toBlob((blob) => save(blob, "image/png", `${this.name}.png`));
  }
}

/** A file for whoever is at the page. */
export function save(content, type, name) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([content], { type }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

customElements.define("ops-chart", Chart);
