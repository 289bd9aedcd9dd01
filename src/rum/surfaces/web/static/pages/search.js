import { classes, html, useEffect, useRef, useState } from "../parts/base.js";
import { useLoad, useSettled } from "../parts/api.js";
import { Doer } from "../parts/entries.js";
import { takeTyped } from "../parts/keys.js";
import { askedWords, Inline } from "../parts/markdown.js";
import { link, replaceRoute } from "../parts/route.js";
import { Time } from "../parts/time.js";
import { CodeLabel, Confidence, Empty, Failure, Field, Filters, Head, Loading, Outcome, PathChoice, Select } from "../parts/ui.js";
import { SINCE_OPTIONS, useChoices } from "./timeline.js";

export const title = (route) => (route.query.q ? `Search: ${route.query.q}` : "Search");

const STEP = 20;
const MOST = 100;

export function Page({ route }) {
  const { q = "", file = "", type = "", agent = "", outcome = "", since = "", tag = "", old = "", weak = "" } = route.query;
  const filters = { file, type, agent, outcome, since, tag };
  const [text, setText] = useState(q);
  const [limit, setLimit] = useState(STEP);
  const settled = useSettled(text, 180);
  const field = useRef(null);
  const { agents, types } = useChoices();
  // An address that this page wrote is behind what is typed meanwhile.
  const written = useRef(q);
  useEffect(() => {
    if (q !== written.current) setText(q);
    written.current = q;
  }, [q]);
  useEffect(() => {
    field.current.focus();
    const typed = takeTyped();
    if (!typed) return;
    field.current.value = typed; // At once, for a key that is pressed before the next drawing
    setText(typed);
  }, []);
  useEffect(() => {
    setLimit(STEP);
    if (settled === q) return;
    written.current = settled;
    replaceRoute(link("search", { ...route.query, q: settled }));
  }, [settled]);
  const asks = settled.trim() || Object.values(filters).some(Boolean);
  const load = useLoad("search", { q: settled.trim(), ...filters, superseded: old && "1", min_confidence: weak && "0", limit }, { enabled: Boolean(asks) });
  const change = (name) => (value) => replaceRoute(link("search", { ...route.query, q: text, [name]: value }));
  return html`<${Head} title="Search" kicker="Words, files, errors, or what you are about to do" />
    <form class="search" role="search" onSubmit=${(event) => event.preventDefault()}>
      <label class="hidden" for="question">Search the memories</label>
      <input id="question" type="search" ref=${field} value=${text} autocomplete="off" spellcheck="false" placeholder="token refresh fails after sleep" onInput=${(event) => setText(event.target.value)} />
    </form>
    <${Filters} isActive=${Object.values(filters).some(Boolean)}>
      <${Select} label="Outcome" value=${outcome} onChange=${change("outcome")} options=${[["", "any"], ["success", "worked"], ["failure", "failed"]]} />
      <${Select} label="Kind of work" value=${type} onChange=${change("type")} options=${types} />
      <${Select} label="Agent" value=${agent} onChange=${change("agent")} options=${agents} />
      <${Select} label="Time" value=${since} onChange=${change("since")} options=${SINCE_OPTIONS} />
      <${Field} label="File or folder"><input value=${file} onChange=${(event) => change("file")(event.target.value)} placeholder="src/auth" /><//>
      <${Field} label="Tag"><input value=${tag} onChange=${(event) => change("tag")(event.target.value)} /><//>
      <label class="check"><input type="checkbox" checked=${Boolean(old)} onChange=${(event) => change("old")(event.target.checked ? "1" : "")} /> replaced ones too</label>
    <//>
    ${asks ? html`<${Results} load=${load} asked=${settled.trim()} limit=${limit} setLimit=${setLimit} toFile=${(path) => link("search", { ...route.query, q: text, file: path })} showWeak=${weak ? null : () => change("weak")("1")} />` : html`<${Empty} title="Ask something.">Results appear while you type. A path such as <code>src/auth</code> finds the work on it.<//>`}`;
}

function Results({ load, asked, limit, setLimit, toFile, showWeak }) {
  const { data, error, loading, isCurrent } = load;
  if (error?.details?.paths) return html`<${PathChoice} error=${error} toLink=${toFile} />`;
  if (error && isCurrent) return html`<${Failure} error=${error} retry=${load.reload} />`;
  if (!data) return html`<${Loading} />`;
  const { memories = [], knowledge = [], near = [] } = data;
  const marks = askedWords(asked);
  return html`<div class=${classes("results", loading && "pending")} aria-busy=${loading}>
    <p class="muted" role="status">
      ${asked && memories.length && memories.every((memory) => !memory.confidence) ? "No memory has these words. These fit the filters: " : ""}
      ${memories.length ? `${memories.length} of ${data.total_matches}${data.total_exact === false ? " or more" : ""} found` : "Nothing found."}
      ${data.hint ? ` ${data.hint}` : ""}
    </p>
    ${knowledge.map(
      (one) => html`<article key=${one.id} class="knowledge">
        <p class="kicker">${one.kind}${one.stale ? " · its memories changed since" : ""}</p>
        <p><a data-item href=${link(one.kind === "wisdom" ? "wisdom" : "chapter", one.id)}>${one.text}</a> <${Confidence} value=${one.confidence} /></p>
      </article>`,
    )}
    <ol class="entries found">${memories.map((memory) => html`<${Found} key=${memory.id} memory=${memory} marks=${marks} labels=${data.labels?.[memory.id] ?? []} />`)}</ol>
    ${near.length > 0 &&
    html`<section>
      <h2>Near</h2>
      <p class="muted">These came closest. They may have nothing to do with it.</p>
      <ul class="plain">${near.map((one) => html`<li key=${one.id}><a data-item href=${link("memory", one.id)}>${one.text}</a> <${Confidence} value=${one.confidence} /></li>`)}</ul>
    </section>`}
    ${showWeak && memories.length > 0 && memories.length < limit && memories.length < data.total_matches && html`<p class="more"><button type="button" onClick=${showWeak}>Show those that fit less</button></p>`}
    ${memories.length >= limit && limit < MOST && html`<p class="more"><button type="button" onClick=${() => setLimit(Math.min(MOST, limit + STEP))}>Show more</button></p>`}
  </div>`;
}

function Found({ memory, labels, marks }) {
  const { intent, outcome } = memory;
  return html`<li class=${classes("entry", memory.superseded_by?.length && "old")}>
    <${Outcome} memory=${{ labels, success: outcome.success }} short />
    <div class="entry-text">
      <a data-item href=${link("memory", memory.id)} class="entry-goal"><${Inline} text=${intent.goal} asked=${marks} /></a>
      <p class="entry-summary"><${Inline} text=${outcome.summary} asked=${marks} /></p>
      ${outcome.failure_reason && html`<p class="entry-summary">Failed: <${Inline} text=${outcome.failure_reason} asked=${marks} /></p>`}
      <${Why} reasons=${memory.why ?? []} />
      ${memory.similar > 0 && html`<p class="why">and ${memory.similar} more with the same goal</p>`}
    </div>
    <p class="entry-meta">
      <span><${Confidence} value=${memory.confidence} /> <${Time} at=${memory.created_at} /></span>
      <${Doer} type=${intent.task_type} />
      ${memory.superseded_by?.length > 0 && html`<span class="label">superseded</span>`}
      <${CodeLabel} of=${memory} />
      ${memory.match === "fuzzy" && html`<span class="label">by meaning</span>`}
    </p>
  </li>`;
}

/** The strongest reasons; the others on request. */
function Why({ reasons }) {
  if (!reasons.length) return null;
  const first = `Why: ${reasons.slice(0, 3).join(" · ")}`;
  if (reasons.length <= 3) return html`<p class="why">${first}</p>`;
  return html`<details class="why"><summary>${first} …</summary>${reasons.slice(3).join(" · ")}</details>`;
}
