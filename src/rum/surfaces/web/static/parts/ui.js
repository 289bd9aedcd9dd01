// Shared pieces of the page: outcomes, lists, messages, dialogs.
import { classes, count, html, useEffect, useLayoutEffect, useRef, useState, words } from "./base.js";
import { Inline } from "./markdown.js";
import { link } from "./route.js";

/** The inside of a 16 × 16 drawing for each outcome. */
export const SHAPES = {
  worked: () => html`<circle cx="8" cy="8" r="7" class="fill" /><path d="M4.500 8.300l2.300 2.400 4.700-5.200" class="cut" />`,
  failed: () => html`<rect x="1.500" y="1.500" width="13" height="13" rx="1.500" class="fill" /><path
      d="M5 5l6 6M11 5l-6 6"
      class="cut"
    />`,
  unverified: () => html`<circle cx="8" cy="8" r="6.200" class="line dashed" />`,
  partial: () => html`<circle cx="8" cy="8" r="6.200" class="line" /><path d="M8 1.800a6.200 6.200 0 0 0 0 12.400z" class="fill" />`,
  reverted: () => html`<path d="M8 1l7 7-7 7-7-7z" class="fill" /><path d="M9.800 10.500V7.800H6.200M7.700 6.200L6.100 7.800l1.600 1.600" class="cut" />`,
};

/** What came of a memory, in one word; never by colour alone. `entry` is one of a list, or a whole memory. */
export function outcomeOf(entry) {
  const labels = entry.labels ?? entry.tags ?? [];
  if (labels.includes("reverted") || (entry.reverted_by && !entry.reverted_by.in_part)) return "reverted";
  if (labels.includes("partial")) return "partial";
  if (labels.includes("unverified")) return "unverified";
  return (entry.success ?? entry.outcome?.success) ? "worked" : "failed";
}

export const OUTCOMES = { worked: "worked", failed: "failed", unverified: "not verified", partial: "partly done", reverted: "reverted" };

export function Shape({ kind }) {
  return html`<svg class=${`shape ${kind}`} viewBox="0 0 16 16" aria-hidden="true">${SHAPES[kind]()}</svg>`;
}

export function Outcome({ memory, kind = outcomeOf(memory), short = false }) {
  const text = OUTCOMES[kind];
  return html`<span class=${`outcome ${kind}`} title=${short ? text : null}>
    <${Shape} kind=${kind} /><span class=${short ? "hidden" : null}>${text}</span>
  </span>`;
}

// What became of the code that a memory speaks of.
const FRESHNESS = {
  fresh: ["worked", "The code is still the same"],
  moved: ["worked", "The same code is now elsewhere"],
  changed: ["partial", "The code changed since"],
  gone: ["failed", "The code is gone"],
};

/** In a list: whether the code that something names is not what it was, or not in the checkout. */
export function CodeLabel({ of }) {
  if (of.unmerged) return html`<span class="label">${of.unmerged === "abandoned" ? "branch abandoned" : `only on ${of.unmerged}`}</span>`;
  return ["changed", "gone"].includes(of.freshness) ? html`<span class="label" title=${[of.code_at, of.code_since].filter(Boolean).join(", ")}>code ${of.freshness}</span>` : null;
}

/** Whether the code of a memory is still what it was, with its place today. */
export function Freshness({ memory }) {
  const known = FRESHNESS[memory.freshness];
  if (!known) return null;
  const [kind, text] = known;
  const [, path, line] = /^(.*?)(?::(\d+(?:-\d+)?))?$/.exec(memory.code_at ?? "");
  const share = memory.freshness === "changed" && memory.code_changed ? ` by ${Math.round(memory.code_changed * 100)} %` : "";
  return html`<p class="freshness"><${Shape} kind=${kind} /> <span>${text}${share}${path && html`: <${Path} path=${path} line=${line} />`}${memory.code_since && html` <span class="muted">since ${memory.code_since}</span>`}</span></p>`;
}

/** A bar for a share from 0 to 1, with its number. */
export function Confidence({ value, label = "confidence" }) {
  const number = Math.round((value ?? 0) * 100);
  return html`<span class="confidence" title=${`${label} ${number} %`}>
    <meter min="0" max="100" value=${number} aria-label=${label}></meter> ${number} %<span class="hidden"> ${label}</span>
  </span>`;
}

export function Tags({ tags = [] }) {
  if (!tags.length) return null;
  return html`<span class="tags">${tags.map((tag) => html`<a key=${tag} class="tag" href=${link("timeline", { tag })}>${tag}</a> `)}</span>`;
}

/** A path that breaks after its slashes. */
const breakable = (path) => path.split(/(?<=[/])(?=.)/).map((part, index) => [index > 0 && html`<wbr />`, part]);

export const Path = ({ path, line }) =>
  html`<a class="path" href=${link("files", { path })}>${breakable(path)}</a>${line ? html`<span class="muted">:${line}</span>` : null}`;

/** The head of a page. */
export function Head({ title, kicker, children, actions }) {
  return html`<header class="head">
    <div class="head-text">
      ${kicker && html`<p class="kicker">${kicker}</p>`}
      <h1 tabindex="-1" id="title">${title}</h1>
      ${children}
    </div>
    ${actions && html`<div class="actions">${actions}</div>`}
  </header>`;
}

const FAILURES = { 400: "This cannot be shown.", 404: "Not found." };

export function Failure({ error, retry }) {
  return html`<div class="message failure" role="alert">
    <${Shape} kind="failed" />
    <div>
      <strong>${FAILURES[error.status] ?? "This could not be loaded."}</strong> ${error.message}
      ${retry && error.status !== 400 && html` <button type="button" class="quiet" onClick=${retry}>Try again</button>`}
    </div>
  </div>`;
}

/** Several paths have the name that was asked for: `toLink` makes the address for one of them. */
export const PathChoice = ({ error, toLink }) => html`<div class="message notice" role="status">
  <div>
    <p><${Inline} text=${error.message} /></p>
    <ul class="plain">${error.details.paths.map((path) => html`<li key=${path}><a data-item class="path" href=${toLink(path)}>${path}</a></li>`)}</ul>
  </div>
</div>`;

export const Empty = ({ title, children }) => html`<div class="message empty"><strong>${title}</strong><p>${children}</p></div>`;

/** Space for what loads; it appears only when loading takes a while (by style). */
export const Loading = ({ lines = 5 }) =>
  html`<div class="loading" role="status">
    <span class="hidden">Loading</span>${Array.from({ length: lines }, (_, index) => html`<span key=${index} class="ghost"></span>`)}
  </div>`;

/** What `useLoad` gave: an error, space, or what `children` makes of the data, which then has the head itself. */
export function Loaded({ load, children, lines, title }) {
  const head = title && html`<${Head} title=${title} />`;
  if (load.error) return html`${head}<${Failure} error=${load.error} retry=${load.reload} />`;
  if (load.data == null) return html`${head}<${Loading} lines=${lines} />`;
  return children(load.data);
}

/** A paged list from `usePages`. `empty` is shown only when the server said that there is nothing. */
export function Paged({ pages, children, empty, what = "item", many }) {
  const { items, error, loading, hasMore, more, retry, total } = pages;
  if (error && !items.length) return html`<${Failure} error=${error} retry=${retry} />`;
  if (!items.length) return loading ? html`<${Loading} />` : empty;
  return html`${children(items)}
    ${error && html`<${Failure} error=${error} retry=${retry} />`}
    <p class="more">
      <span role="status">${count(items.length, what, many)}${total != null && total > items.length ? ` of ${total.toLocaleString("en")}` : ""}</span>
      ${hasMore && html`<button type="button" disabled=${loading} onClick=${more}>${loading ? "Loading …" : "Show more"}</button>`}
    </p>`;
}

export function Field({ label, children, hint }) {
  return html`<label class="field"><span>${label}</span>${children}${hint && html`<small>${hint}</small>`}</label>`;
}

export function Select({ label, value, onChange, options }) {
  return html`<${Field} label=${label}>
    <select value=${value} onChange=${(event) => onChange(event.target.value)}>
      ${options.map(([key, text]) => html`<option key=${key} value=${key} selected=${key === value}>${text}</option>`)}
    </select>
  <//>`;
}

/** The filters of a list; on a narrow screen they open on request. */
export function Filters({ children, isActive = false }) {
  const isNarrow = matchMedia("(max-width: 700px)").matches;
  return html`<details class="filter-box" open=${!isNarrow || isActive}>
    <summary>Filters</summary>
    <form class="filters" aria-label="Filters" onSubmit=${(event) => event.preventDefault()}>${children}</form>
  </details>`;
}

/** The `ref` of a form whose first field takes the focus when the form appears. */
export function useFirstField() {
  const form = useRef(null);
  useLayoutEffect(() => form.current.querySelector(":is(input, select, textarea):not([readonly])").focus(), []);
  return form;
}

/** A text area as high as its text. */
export function TextArea({ value, onInput, ...rest }) {
  const area = useRef(null);
  useLayoutEffect(() => {
    const fit = () => {
      const node = area.current;
      if (!node) return;
      node.style.height = "auto";
      node.style.height = `${Math.min(node.scrollHeight + 2, 480)}px`;
    };
    // In a dialog that is just being opened, it has no height yet.
    if (area.current.scrollHeight) fit();
    else requestAnimationFrame(fit);
  }, [value]);
  return html`<textarea ref=${area} rows="2" value=${value} onInput=${(event) => onInput(event.target.value)} ...${rest}></textarea>`;
}

export function Dialog({ title, onClose, children, wide }) {
  const dialog = useRef(null);
  // At once, so that a key pressed right after it was opened is the dialog's.
  useLayoutEffect(() => {
    const node = dialog.current;
    node.showModal();
    return () => node.close();
  }, []);
  return html`<dialog
    ref=${dialog}
    class=${classes("dialog", wide && "wide")}
    aria-labelledby="dialog-title"
    onCancel=${(event) => {
      event.preventDefault();
      onClose();
    }}
    onClick=${(event) => event.target === dialog.current && onClose()}
  >
    <div class="dialog-body">
      <h2 id="dialog-title">${title}</h2>
      ${children}
    </div>
  </dialog>`;
}

/** A question before something is removed. */
export function Confirm({ title, children, action, onConfirm, onClose }) {
  const [state, setState] = useState({ busy: false, error: null });
  const confirm = async () => {
    setState({ busy: true, error: null });
    try {
      await onConfirm();
    } catch (error) {
      setState({ busy: false, error });
    }
  };
  return html`<${Dialog} title=${title} onClose=${onClose}>
    ${children} ${state.error && html`<${WriteFailure} error=${state.error} />`}
    <p class="buttons">
      <button type="button" class="primary" disabled=${state.busy} onClick=${confirm}>${action}</button>
      <button type="button" onClick=${onClose}>Cancel</button>
    </p>
  <//>`;
}

export const WriteFailure = ({ error }) =>
  html`<div class="message failure" role="alert"><${Shape} kind="failed" /><div><strong>Nothing was changed.</strong> ${error.message}</div></div>`;

/** A button that does something and says so; an error appears beside it. */
export function ActionButton({ run, done, children, kind = "", ...rest }) {
  const [state, setState] = useState({ busy: false, error: null, done: false });
  const act = async () => {
    setState({ busy: true, error: null, done: false });
    try {
      await run();
      setState({ busy: false, error: null, done: true });
      if (done) announce(done);
    } catch (error) {
      setState({ busy: false, error, done: false });
    }
  };
  return html`<button type="button" class=${kind} disabled=${state.busy} onClick=${act} ...${rest}>${children}</button>
    ${state.error && html`<span class="inline-error" role="alert">${state.error.message}</span>`}`;
}

const listeners = new Set();

/** Say something in the live region, visible for some seconds; `undo` adds a button. */
export const announce = (text, undo = null) => listeners.forEach((listener) => listener({ text, undo, at: Date.now() }));

export function Announcements() {
  const [said, setSaid] = useState(null);
  useEffect(() => {
    listeners.add(setSaid);
    return () => listeners.delete(setSaid);
  }, []);
  useEffect(() => {
    if (!said) return;
    const timer = setTimeout(() => setSaid(null), said.undo ? 12_000 : 5000);
    return () => clearTimeout(timer);
  }, [said]);
  const undo = async () => {
    const { undo: run } = said;
    setSaid(null);
    try {
      await run();
    } catch (error) {
      announce(`Nothing was changed. ${error.message}`);
    }
  };
  return html`<div class="announcements" role="status" aria-live="polite">
    ${said && html`<div class="toast"><span>${said.text}</span>${said.undo && html`<button type="button" class="quiet" onClick=${undo}>Undo</button>`}</div>`}
  </div>`;
}

export async function copy(text, what) {
  try {
    await navigator.clipboard.writeText(text);
    announce(`${what} copied.`);
  } catch {
    announce("The browser does not allow copying here. Select the text instead.");
  }
}

/** Lists of definitions: name and value, without those that have none. */
export function Facts({ rows }) {
  const kept = rows.filter(([, value]) => value !== null && value !== undefined && value !== "" && value !== false);
  return html`<dl class="facts">${kept.map(([name, value]) => html`<div key=${name}><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>`;
}

export const hasKind = (type) => Boolean(type) && type !== "other";

export const Kind = ({ type }) => (hasKind(type) ? html`<span class="kind">${words(type)}</span>` : null);
