// Plots with uPlot, which is loaded with the first of them. Each has a table with the same figures.
import { classes, html, useEffect, useRef, useState } from "./base.js";
import { dateText } from "./time.js";

let loading = null;

function library() {
  if (window.uPlot) return Promise.resolve(window.uPlot);
  loading ??= new Promise((resolve, reject) => {
    const script = document.createElement("script");
    script.src = new URL("../vendor/uplot.js", import.meta.url);
    script.onload = () => resolve(window.uPlot);
    script.onerror = () => reject(new Error("The plot could not be loaded."));
    document.head.append(script);
  });
  return loading;
}

const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

/** A fill that can be told apart without colour. */
function fill(name, pattern) {
  const shade = colour(name);
  if (!pattern) return () => shade;
  return (plot) => {
    const size = 6 * devicePixelRatio;
    const tile = document.createElement("canvas");
    tile.width = tile.height = size;
    const pen = tile.getContext("2d");
    pen.fillStyle = colour("--surface");
    pen.fillRect(0, 0, size, size);
    pen.strokeStyle = shade;
    pen.lineWidth = (pattern === "hatched" ? 2.4 : 1) * devicePixelRatio;
    pen.beginPath();
    for (const shift of [-size, 0, size]) {
      pen.moveTo(shift, size);
      pen.lineTo(shift + size, 0);
    }
    pen.stroke();
    return plot.ctx.createPattern(tile, "repeat");
  };
}

/** Bars over time. `series`: `[{ name, colour, pattern, values }]`, stacked from below. */
export function Bars({ label, times, series, height = 120, format = String }) {
  const place = useRef(null);
  const [error, setError] = useState(null);
  const [theme, setTheme] = useState(0);
  useEffect(() => {
    const again = () => setTheme((one) => one + 1);
    addEventListener("rum:theme", again);
    const system = matchMedia("(prefers-color-scheme: dark)");
    system.addEventListener("change", again);
    return () => {
      removeEventListener("rum:theme", again);
      system.removeEventListener("change", again);
    };
  }, []);
  useEffect(() => {
    let plot = null;
    let isOver = false;
    let observer = null;
    library().then((UPlot) => {
      if (isOver) return;
      const sums = times.map(() => 0);
      const step = times.length > 1 ? times[1] - times[0] : 86_400;
      // What is not there is not drawn, not even as a line.
      const stacked = series.map((one) => one.values.map((value, index) => ((sums[index] += value), value ? sums[index] : null)));
      const axis = { stroke: colour("--muted"), font: "11px system-ui, sans-serif", grid: { show: false }, ticks: { show: false } };
      const bars = UPlot.paths.bars({ size: [0.72, 24], align: 0 });
      plot = new UPlot(
        {
          width: place.current.clientWidth || 300,
          height,
          padding: [8, 18, 0, 0],
          cursor: { show: false },
          legend: { show: false },
          // Half a bar of room at both ends.
          scales: { x: { time: true, range: () => [times[0] - step / 2, times.at(-1) + step / 2] }, y: { range: (_, low, high) => [0, Math.max(high, 1)] } },
          axes: [
            { ...axis, size: 26, space: 64, splits: times.length < 3 ? () => times : null, values: (_, ticks) => ticks.map((tick) => dateText(tick)) },
            { ...axis, size: 34, space: 34, incrs: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10000, 50000, 100000], values: (_, ticks) => ticks.map(format), grid: { show: true, stroke: colour("--line"), width: 1 } },
          ],
          // The tallest is drawn first, so that the others lie in front of it.
          series: [
            {},
            ...series.map((one) => ({ paths: bars, points: { show: false }, stroke: colour(one.colour), width: 1, fill: fill(one.colour, one.pattern) })).reverse(),
          ],
        },
        [times, ...stacked.reverse()],
        place.current,
      );
      observer = new ResizeObserver(([entry]) => plot.setSize({ width: Math.max(entry.contentRect.width, 120), height }));
      observer.observe(place.current);
    }, setError);
    return () => {
      isOver = true;
      observer?.disconnect();
      plot?.destroy();
    };
  }, [times, series, theme]);
  if (error) return html`<p class="muted">${error.message}</p>`;
  return html`<figure class="plot">
    <figcaption>
      ${series.map((one) => html`<span key=${one.name} class="key"><i class=${classes("swatch", one.pattern, one.colour.slice(2))}></i>${one.name}</span>`)}
    </figcaption>
    <div ref=${place} class="canvas" role="img" aria-label=${label}></div>
    <details class="as-table">
      <summary>As a table</summary>
      <table>
        <thead>
          <tr><th scope="col">from</th>${series.map((one) => html`<th key=${one.name} scope="col">${one.name}</th>`)}</tr>
        </thead>
        <tbody>
          ${times.map(
            (time, index) => html`<tr key=${time}>
              <th scope="row">${new Date(time * 1000).toISOString().slice(0, 10)}</th>
              ${series.map((one) => html`<td key=${one.name}>${format(one.values[index])}</td>`)}
            </tr>`,
          )}
        </tbody>
      </table>
    </details>
  </figure>`;
}
