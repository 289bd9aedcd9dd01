// Keys. A page adds its own with `useKeys`; in a text field only Escape counts.
import { html, useEffect, useRef } from "./base.js";
import { go } from "./route.js";
import { Dialog } from "./ui.js";

const JUMPS = {
  o: ["overview", "Overview"],
  t: ["timeline", "Timeline"],
  s: ["search", "Search"],
  f: ["files", "Files"],
  c: ["chapters", "Chapters and wisdom"],
  n: ["notes", "Notes"],
  u: ["rules", "Rules"],
  a: ["facts", "Facts"],
  e: ["sessions", "Sessions"],
  r: ["review", "Review"],
  l: ["stale", "Stale"],
  y: ["sync", "Sync and team"],
  i: ["settings", "Settings"],
  h: ["health", "Health"],
};

const handlers = [];

/** Keys of a page while it is shown: `{ j: (event) => … }`. */
export function useKeys(keys) {
  const current = useRef(keys);
  current.current = keys;
  useEffect(() => {
    handlers.push(current);
    return () => handlers.splice(handlers.indexOf(current), 1);
  }, []);
}

const isTyping = (target) => target.closest?.("input:not([type=checkbox]), textarea, select, [contenteditable]");

let isJumping = false;
let typed = null; // What was typed since "/" while the field of the search is not there yet

/** Keep what is typed from now on, until `takeTyped` fetches it. */
export function keepTyped() {
  typed = "";
  setTimeout(() => (typed = null), 3000);
}

export function takeTyped() {
  const text = typed ?? "";
  typed = null;
  return text;
}

function handle(event) {
  if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
  if (typed !== null && event.key.length === 1) {
    event.preventDefault();
    typed += event.key;
    return;
  }
  if (isTyping(event.target)) {
    if (event.key === "Escape" && !event.target.closest("dialog")) event.target.blur();
    return;
  }
  if (document.querySelector("dialog[open]")) return;
  if (isJumping) {
    isJumping = false;
    const jump = JUMPS[event.key];
    if (jump) {
      event.preventDefault();
      go(`#/${jump[0]}`);
    }
    return;
  }
  if (event.key === "g") {
    isJumping = true;
    setTimeout(() => (isJumping = false), 1500);
    return;
  }
  for (let index = handlers.length - 1; index >= 0; index--) {
    const run = handlers[index].current[event.key];
    if (run) {
      event.preventDefault();
      run(event);
      return;
    }
  }
}

export function startKeys() {
  addEventListener("keydown", handle);
}

/** Move the focus to the next or previous item of the lists on the page. */
export function moveFocus(step) {
  const items = [...document.querySelectorAll("main [data-item]")].filter((item) => item.offsetParent !== null);
  if (!items.length) return;
  const now = items.findIndex((item) => item === document.activeElement || item.contains(document.activeElement));
  const next = items[now < 0 ? (step > 0 ? 0 : items.length - 1) : Math.min(items.length - 1, Math.max(0, now + step))];
  next.focus();
  next.scrollIntoView({ block: "nearest" });
}

const ROWS = [
  ["Everywhere", [["?", "this list"], ["/", "search"], ["j  k", "next, previous item of a list"], ["Enter", "open it"], ["g", `then a letter opens a page: ${Object.entries(JUMPS).map(([key, [, name]]) => `${key} ${name}`).join(" · ")}`], ["Esc", "leave a field or close a dialog"], ["d", "light or dark"]]],
  ["Review", [["a", "accept"], ["e", "edit"], ["r", "reject"], ["m", "merge"], ["x", "select for all at once"]]],
  ["A memory", [["e", "edit"], ["c", "copy as Markdown"], ["v", "its causes"], ["u", "useful"], ["w", "not useful"]]],
  ["Causes", [["← →", "to a cause, to an effect"], ["↑ ↓", "to a neighbour in the same column"], ["Enter", "open the memory"], ["Space", "walk on from it"]]],
];

export function KeyList({ onClose }) {
  return html`<${Dialog} title="Keys" onClose=${onClose} wide>
    ${ROWS.map(
      ([title, keys]) => html`<h3 key=${title}>${title}</h3>
        <dl class="keys">${keys.map(([key, what]) => html`<div key=${key}><dt>${key.split("  ").map((one) => html`<kbd>${one}</kbd> `)}</dt><dd>${what}</dd></div>`)}</dl>`,
    )}
    <p class="buttons"><button type="button" onClick=${onClose}>Close</button></p>
  <//>`;
}
