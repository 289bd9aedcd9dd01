import { classes, count, html, useEffect, useRef, useState } from "../parts/base.js";
import { at, post, useLoad, usePages } from "../parts/api.js";
import { changes, Diff, flatten, placeName } from "../parts/diff.js";
import { useKeys } from "../parts/keys.js";
import { Inline } from "../parts/markdown.js";
import { link, replaceRoute } from "../parts/route.js";
import { Time } from "../parts/time.js";
import { announce, Confidence, Confirm, Dialog, Empty, Failure, Field, Head, Loaded, Paged, Select, TextArea, WriteFailure } from "../parts/ui.js";
import { fromLines, Layers, toLines } from "./memory.js";

export const title = () => "Review";

// A rule that holds always begins with a star.
const labelOf = (item) => item.label.replace(/^\*: /, "");
const PAUSE = 600; // Milliseconds after a decision in which no other counts: the next item moved under the pointer
const keyOf = (item) => `${item.kind} ${item.id}`;

export function Page({ route, me }) {
  const { kind = "", id = "" } = route.query;
  const pages = usePages("review", { kind, limit: 50 });
  const { items } = pages;
  const [current, setCurrent] = useState(0);
  useEffect(() => setCurrent(Math.max(0, items.findIndex((one) => one.id === id))), [id, Boolean(items.length)]);
  const [chosen, setChosen] = useState(new Set());
  const [dialog, setDialog] = useState(null);
  const [error, setError] = useState(null);
  const closedUntil = useRef(0);
  const index = Math.min(current, Math.max(0, items.length - 1));
  const item = items[index];
  const marked = items.filter((one) => chosen.has(keyOf(one)));
  const targets = marked.length ? marked : item ? [item] : [];

  const remove = (gone) => {
    const keys = new Set(gone.map(keyOf));
    pages.change((old) => old.filter((one) => !keys.has(keyOf(one))));
    setChosen(new Set());
    setDialog(null);
    if (items.length === gone.length) pages.reload();
  };
  const decide = async (verdict) => {
    if (!targets.length || !me.may_review || Date.now() < closedUntil.current) return;
    closedUntil.current = Infinity;
    setError(null);
    try {
      await post(`review/${verdict}`, { items: targets.map((one) => ({ kind: one.kind, id: one.id })) });
      const items = count(targets.length, "item");
      if (verdict === "accept") announce(`${items} accepted.`);
      else announce(targets.length > 1 ? `${items} rejected for good.` : `Rejected for good: ${labelOf(targets[0])}`);
      remove(targets);
    } catch (problem) {
      setDialog(null);
      setError(problem);
    } finally {
      closedUntil.current = Date.now() + PAUSE;
    }
  };
  // What is rejected is deleted for good: several at once only after a question.
  const reject = () => (targets.length > 1 ? setDialog("reject") : decide("reject"));
  const step = (by) => setCurrent(Math.max(0, Math.min(items.length - 1, index + by)));
  const toggle = (one) => {
    const next = new Set(chosen);
    if (!next.delete(keyOf(one))) next.add(keyOf(one));
    setChosen(next);
  };
  useKeys({
    j: () => step(1),
    k: () => step(-1),
    ...(me.may_review && item
      ? { a: () => decide("accept"), r: reject, e: () => setDialog("edit"), m: () => setDialog("merge"), x: () => toggle(item) }
      : {}),
  });
  useEffect(() => {
    document.querySelector(".queue [aria-current=true]")?.scrollIntoView({ block: "nearest" });
  }, [index]);
  const kinds = Object.entries(pages.first?.by_kind ?? {});
  return html`<${Head} title="Review" kicker="What was captured or extracted and waits for your decision">
      <p class="muted keys-hint"><kbd>j</kbd> <kbd>k</kbd> next, previous · <kbd>a</kbd> accept · <kbd>e</kbd> edit · <kbd>r</kbd> reject · <kbd>m</kbd> merge · <kbd>x</kbd> select</p>
    <//>
    ${!me.may_review && html`<p class="message notice">Only a person who owns this memory may decide.</p>`}
    <form class="filters" aria-label="Filters" onSubmit=${(event) => event.preventDefault()}>
      <${Select} label="Kind" value=${kind} onChange=${(value) => replaceRoute(link("review", { kind: value }))} options=${[["", "all"], ...["memory", "rule", "fact", "note"].map((one) => [one, `${one}${kinds.length ? ` (${pages.first.by_kind[one] ?? 0})` : ""}`])]} />
      ${items.length > 1 && me.may_review && html`<button type="button" onClick=${() => setChosen(marked.length === items.length ? new Set() : new Set(items.map(keyOf)))}>${marked.length === items.length ? "Select none" : `Select all ${items.length}`}</button>`}
      ${marked.length > 0 && html`<span role="status">${marked.length} selected</span>`}
    </form>
    ${error && html`<${WriteFailure} error=${error} />`}
    <${Paged} pages=${pages} what="item" empty=${html`<${Empty} title="Nothing waits for review.">With <code>rum config set review first</code>, what is captured waits here before it is used.<//>`}>
      ${() => html`<div class="review">
        <ul class="queue" aria-label="Waiting">
          ${items.map(
            (one, number) => html`<li key=${keyOf(one)} aria-current=${number === index ? "true" : null}>
              ${me.may_review && html`<input type="checkbox" checked=${chosen.has(keyOf(one))} onChange=${() => toggle(one)} aria-label=${`Select ${one.label}`} />`}
              <button type="button" class="queue-item" onClick=${() => setCurrent(number)}><span class="kind">${one.kind}</span> <${Inline} text=${labelOf(one)} /></button>
            </li>`,
          )}
        </ul>
        ${item && html`<${Item} key=${keyOf(item)} item=${item} me=${me} targets=${targets} decide=${decide} reject=${reject} setDialog=${setDialog} dialog=${dialog} remove=${remove} />`}
      </div>`}
    <//>
    ${dialog === "reject" && html`<${Confirm} title=${`Reject ${targets.length} items?`} action="Reject" onConfirm=${() => decide("reject")} onClose=${() => setDialog(null)}><p>They are deleted for good, and will not be proposed again.</p><//>`}`;
}

function Item({ item, me, targets, decide, reject, setDialog, dialog, remove }) {
  const load = useLoad(at("review", item.kind, item.id));
  const several = targets.length > 1 ? ` ${targets.length}` : "";
  return html`<article class="review-item" aria-live="polite">
    <p class="kicker"><span class="kind">${item.kind}</span> · proposed by ${item.proposed_by} <${Time} at=${item.proposed_at} /></p>
    <h2><${Inline} text=${labelOf(item)} /></h2>
    ${me.may_review &&
    html`<p class="buttons sticky">
      <button type="button" class="primary" onClick=${() => decide("accept")}>Accept${several}</button>
      <button type="button" onClick=${() => setDialog("edit")} disabled=${Boolean(several)}>Edit</button>
      <button type="button" onClick=${() => setDialog("merge")} disabled=${Boolean(several)}>Merge</button>
      <button type="button" class="danger" title="What is rejected is not kept, and will not be proposed again" onClick=${reject}>Reject${several}</button>
    </p>`}
    <${Loaded} load=${load}>
      ${(data) => html`
        ${data.replaces && html`<section><h3>Changes what is there</h3>${changes(data.replaces, data.content).map((change) => html`<div key=${change.place} class="change"><p class="place">${placeName(change.place)}</p><${Diff} ...${change} /></div>`)}</section>`}
        ${item.kind === "memory" ? html`<${Layers} memory=${data.content} />` : html`<dl class="content">${Object.entries(flatten(data.content)).map(([place, text]) => html`<div key=${place}><dt>${placeName(place)}</dt><dd class="text">${text}</dd></div>`)}</dl>`}
        ${data.similar?.length > 0 && html`<section><h3>Like it</h3><ul class="plain">${data.similar.map((one) => html`<li key=${one.id}>${one.pending ? one.goal : html`<a href=${link("memory", one.id)}>${one.goal}</a>`} <${Confidence} value=${one.likeness} label="likeness" /></li>`)}</ul></section>`}
        <details open=${data.evidence.length < 8}>
          <summary>Made from ${count(data.evidence.length, "observation")}</summary>
          <ul class="evidence">${data.evidence.map((line, number) => html`<li key=${number}>${line}</li>`)}</ul>
        </details>
        ${dialog === "edit" && html`<${Edit} item=${item} content=${data.content} onClose=${() => setDialog(null)} onDone=${() => remove([item])} />`}
        ${dialog === "merge" && html`<${Merge} item=${item} similar=${data.similar ?? []} onClose=${() => setDialog(null)} onDone=${() => remove([item])} />`}
      `}
    <//>
  </article>`;
}

// The fields of each kind: [place in the content, label, whether it is a list of lines].
const FIELDS = {
  memory: [["intent.goal", "Goal"], ["outcome.summary", "What came of it"], ["outcome.failure_reason", "Why it failed"], ["outcome.learnings", "Learned", true], ["outcome.follow_up_needed", "Left to do", true], ["tags", "Tags", true]],
  rule: [["condition", "When"], ["action", "Do"]],
  fact: [["value", "Value"]],
  note: [["title", "Title"], ["content", "Text"], ["when_to_use", "When to use it", true], ["tags", "Tags", true]],
};

const read = (content, place) => place.split(".").reduce((value, name) => value?.[name], content);

/** Only the fields that changed, nested as the content is. */
function changed(kind, content, form) {
  const found = {};
  for (const [place, , isList] of FIELDS[kind]) {
    const before = isList ? toLines([read(content, place) ?? []].flat()) : (read(content, place) ?? "");
    if (form[place] === before) continue;
    const names = place.split(".");
    const last = names.pop();
    const inner = names.reduce((value, name) => (value[name] ??= {}), found);
    inner[last] = isList ? fromLines(form[place]) : form[place] || null;
  }
  return found;
}

function Edit({ item, content, onClose, onDone }) {
  const fields = FIELDS[item.kind];
  const [form, setForm] = useState(Object.fromEntries(fields.map(([place, , isList]) => [place, isList ? toLines([read(content, place) ?? []].flat()) : (read(content, place) ?? "")])));
  const [success, setSuccess] = useState(content.outcome?.success);
  const [error, setError] = useState(null);
  const save = async (event) => {
    event.preventDefault();
    setError(null);
    const found = changed(item.kind, content, form);
    if (success !== content.outcome?.success) found.outcome = { ...found.outcome, success };
    try {
      if (Object.keys(found).length) await post(at("review", item.kind, item.id, "edit"), { changes: found });
      else await post("review/accept", { items: [{ kind: item.kind, id: item.id }] });
      announce("Accepted with your changes.");
      onDone();
    } catch (problem) {
      setError(problem);
    }
  };
  return html`<${Dialog} title=${`Edit the ${item.kind} and accept it`} onClose=${onClose} wide>
    <form class="form" onSubmit=${save}>
      ${fields.map(([place, label, isList]) => html`<${Field} key=${place} label=${label} hint=${isList ? "one a line" : null}><${TextArea} value=${form[place]} onInput=${(value) => setForm((old) => ({ ...old, [place]: value }))} /><//>`)}
      ${item.kind === "memory" && html`<label class="check"><input type="checkbox" checked=${success} onChange=${(event) => setSuccess(event.target.checked)} /> it worked</label>`}
      ${error && html`<${WriteFailure} error=${error} />`}
      <p class="buttons"><button type="submit" class="primary">Save and accept</button><button type="button" onClick=${onClose}>Cancel</button></p>
    </form>
  <//>`;
}

function Merge({ item, similar, onClose, onDone }) {
  const [into, setInto] = useState(similar[0]?.id ?? "");
  const [error, setError] = useState(null);
  const merge = async (event) => {
    event.preventDefault();
    setError(null);
    try {
      await post(at("review", item.kind, item.id, "merge"), { into });
      announce("Merged.");
      onDone();
    } catch (problem) {
      setError(problem);
    }
  };
  return html`<${Dialog} title="Merge with one that says the same" onClose=${onClose}>
    <form class="form" onSubmit=${merge}>
      <fieldset>
        <legend>Merge “${item.label}” into</legend>
        ${similar.map((one) => html`<label key=${one.id} class="check"><input type="radio" name="into" value=${one.id} checked=${into === one.id} onChange=${() => setInto(one.id)} /> ${one.goal} <${Confidence} value=${one.likeness} label="likeness" /></label>`)}
        <${Field} label="Or by id"><input value=${into} onInput=${(event) => setInto(event.target.value)} placeholder="mem_…" /><//>
      </fieldset>
      ${error && html`<${WriteFailure} error=${error} />`}
      <p class="buttons"><button type="submit" class="primary" disabled=${!into}>Merge</button><button type="button" onClick=${onClose}>Cancel</button></p>
    </form>
  <//>`;
}
