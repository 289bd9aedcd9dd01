// Rules and facts: both are short lines with versions, edited in place.
import { html, useState } from "../parts/base.js";
import { at, post, put, useLoad, usePages, useSettled } from "../parts/api.js";
import { Diff } from "../parts/diff.js";
import { Inline } from "../parts/markdown.js";
import { link } from "../parts/route.js";
import { exact, Time } from "../parts/time.js";
import { ActionButton, announce, CodeLabel, Confirm, Dialog, Empty, Field, Head, Loaded, Paged, TextArea, useFirstField, WriteFailure } from "../parts/ui.js";

const KINDS = {
  rules: {
    heading: "Rules",
    kicker: "What to do when: given to agents whose task fits",
    one: "rule",
    id: (item) => item.id,
    fields: [["condition", "When"], ["action", "Do"]],
    filter: ["q", "Words in a rule"],
    empty: html`<${Empty} title="No rules yet.">Write one with “New rule”. RUM also keeps what you tell an agent to do from now on.<//>`,
    save: (item, form) => (item ? put(at("rules", item.id), form) : post("rules", form)),
  },
  facts: {
    heading: "Facts",
    kicker: "What is known under a key",
    one: "fact",
    id: (item) => item.key,
    fields: [["key", "Key"], ["value", "Value"]],
    filter: ["prefix", "Keys that begin with"],
    empty: html`<${Empty} title="No facts yet.">Write one with “New fact”, or run <code>rum facts set</code>.<//>`,
    save: (item, form) => put(at("facts", item ? item.key : form.key), { value: form.value }),
  },
};

export const title = (route) => KINDS[route.page].heading;

export function Page({ route, me }) {
  return html`<${Items} key=${route.page} page=${route.page} kind=${KINDS[route.page]} chosen=${route.parts[0]} me=${me} />`;
}

function Items({ page, kind, chosen, me }) {
  const [text, setText] = useState(chosen && page === "facts" ? chosen : "");
  const [editing, setEditing] = useState(null); // An item, or "new"
  const [forgetting, setForgetting] = useState(null);
  const [history, setHistory] = useState(null);
  const [name, label] = kind.filter;
  const pages = usePages(page, { [name]: useSettled(text.trim(), 200), limit: 50 });
  // The keyboard goes on where it was: at the item, or else at its list.
  const close = () => {
    const place = editing === "new" ? "main" : `[data-id="${CSS.escape(kind.id(editing))}"]`;
    setEditing(null);
    requestAnimationFrame(() => document.querySelector(place)?.focus({ preventScroll: true }));
  };
  const saved = () => {
    close();
    pages.reload();
  };
  const forget = async () => {
    const item = forgetting;
    await post(at(page, kind.id(item), "forget"), {});
    setForgetting(null);
    pages.reload();
    announce("Moved to the trash for 30 days.", async () => {
      await post("trash/restore", { id: kind.id(item), kind: kind.one });
      announce("Restored.");
      pages.reload();
    });
  };
  return html`<${Head} title=${kind.heading} kicker=${kind.kicker} actions=${me.may_write && html`<button type="button" aria-expanded=${editing === "new"} onClick=${() => setEditing(editing === "new" ? null : "new")}>New ${kind.one}</button>`} />
    <form class="filters" aria-label="Filters" onSubmit=${(event) => event.preventDefault()}>
      <${Field} label=${label}><input type="search" value=${text} onInput=${(event) => setText(event.target.value)} /><//>
    </form>
    ${editing === "new" && html`<${Form} kind=${kind} onDone=${saved} onCancel=${close} />`}
    <${Paged} pages=${pages} what=${kind.one} empty=${text ? html`<${Empty} title="Nothing fits."><button type="button" class="quiet" onClick=${() => setText("")}>Show all</button><//>` : kind.empty}>
      ${(items) => html`<ul class="lines">
        ${items.map((item) =>
          editing === item
            ? html`<li key=${kind.id(item)}><${Form} kind=${kind} item=${item} onDone=${saved} onCancel=${close} /></li>`
            : html`<${Line} key=${kind.id(item)} page=${page} item=${item} mayWrite=${me.may_write} isChosen=${chosen === kind.id(item)} onEdit=${() => setEditing(item)} onForget=${() => setForgetting(item)} onHistory=${() => setHistory(item)} reload=${pages.reload} />`,
        )}
      </ul>`}
    <//>
    ${forgetting && html`<${Confirm} title=${`Forget this ${kind.one}?`} action="Forget" onConfirm=${forget} onClose=${() => setForgetting(null)}><p>It is given to agents no more, and stays in the trash for 30 days.</p><//>`}
    ${history && html`<${History} page=${page} id=${kind.id(history)} fields=${kind.fields} onClose=${() => setHistory(null)} />`}`;
}

function Line({ page, item, mayWrite, isChosen, onEdit, onForget, onHistory, reload }) {
  const rate = async (useful) => {
    await post("feedback", { id: page === "rules" ? item.id : item.key, useful, kind: page === "rules" ? "rule" : "fact" });
    announce(useful ? "Marked as useful." : "Marked as not useful.");
    reload();
  };
  const confirm = async () => {
    await post("stale/confirm", { ids: [page === "rules" ? item.id : item.key], kind: page === "rules" ? "rule" : "fact" });
    announce("Confirmed: from now on it is compared with the code as it is today.");
    reload();
  };
  return html`<li data-item data-id=${page === "rules" ? item.id : item.key} tabindex="-1" class=${[item.superseded_by && "old", isChosen && "chosen"].filter(Boolean).join(" ")}>
    <div class="line-text">
      ${page === "rules" ? html`<p class="condition">${item.condition === "*" ? "Always" : html`When <span class="pattern">${item.condition}</span>`}</p><p class="text"><${Inline} text=${item.action} /></p>` : html`<p class="condition"><span class="pattern">${item.key}</span></p><p class="text">${item.value}</p>`}
      <p class="muted">
        ${item.source === "user" ? html`said by the user <${Time} at=${item.said_at ?? item.created_at} />${item.version > 1 && html`, changed <${Time} at=${item.updated_at} />`}` : html`by ${item.set_by_name ?? item.set_by}, <${Time} at=${item.updated_at ?? item.created_at} />`}
        ${item.about && html` · <a href=${link("memory", item.about)}>about this work</a>`} ${item.superseded_by && html` · <span class="label">superseded</span>`} <${CodeLabel} of=${item} />
        ${item.usefulness ? ` · ${item.usefulness > 0 ? "useful" : "not useful"} so far` : ""}
      </p>
    </div>
    <p class="line-actions">
      <button type="button" class="small quiet" onClick=${onHistory}>${item.version > 1 ? `Version ${item.version}` : "History"}</button>
      ${mayWrite && item.freshness === "changed" && html`<${ActionButton} kind="small" run=${confirm}>Still true<//>`}
      ${mayWrite && html`<${ActionButton} kind="small quiet" run=${() => rate(true)}>Useful<//><${ActionButton} kind="small quiet" run=${() => rate(false)}>Not useful<//><button type="button" class="small" onClick=${onEdit}>Edit</button> <button type="button" class="small danger" onClick=${onForget}>Forget</button>`}
    </p>
  </li>`;
}

function Form({ kind, item, onDone, onCancel }) {
  const [form, setForm] = useState(Object.fromEntries(kind.fields.map(([name]) => [name, item?.[name] ?? ""])));
  const [error, setError] = useState(null);
  const save = async (event) => {
    event.preventDefault();
    setError(null);
    try {
      const answer = await kind.save(item, form);
      announce([item ? "Saved as a new version." : "Saved.", answer?.hint].filter(Boolean).join(" "));
      onDone();
    } catch (problem) {
      setError(problem);
    }
  };
  return html`<form class="form panel" ref=${useFirstField()} onSubmit=${save} aria-label=${item ? `Edit the ${kind.one}` : `New ${kind.one}`}>
    ${kind.fields.map(([name, label]) => html`<${Field} key=${name} label=${label} hint=${name === "condition" ? "words of the task, or * for always" : null}><${TextArea} required readOnly=${name === "key" && Boolean(item)} value=${form[name]} onInput=${(value) => setForm((old) => ({ ...old, [name]: value }))} /><//>`)}
    ${error && html`<${WriteFailure} error=${error} />`}
    <p class="buttons"><button type="submit" class="primary">Save</button><button type="button" onClick=${onCancel}>Cancel</button></p>
  </form>`;
}

function History({ page, id, fields, onClose }) {
  const load = useLoad(at(page, id, "history"));
  const shown = fields.filter(([name]) => name !== "key");
  return html`<${Dialog} title="History" onClose=${onClose} wide>
    <${Loaded} load=${load}>
      ${({ items }) => html`<ol class="history">
        ${items
          .map((one, index) => html`<li key=${one.version}>
            <h3>Version ${one.version}${one.current && html` <span class="label">current</span>`}</h3>
            <p class="muted"><${Time} at=${one.changed_at} form=${exact} /> by ${one.changed_by_name ?? one.changed_by}</p>
            ${shown.filter(([name]) => index === 0 || items[index - 1][name] !== one[name]).map(([name, label]) => html`<div key=${name} class="change"><p class="place">${label}</p><${Diff} before=${items[index - 1]?.[name] ?? one[name]} after=${one[name]} /></div>`)}
          </li>`)
          .reverse()}
      </ol>`}
    <//>
    <p class="buttons"><button type="button" onClick=${onClose}>Close</button></p>
  <//>`;
}
