// Sync and team, settings, health and the trash.
import { count, html, useState } from "../parts/base.js";
import { at, post, put, useLoad, usePages } from "../parts/api.js";
import { Inline } from "../parts/markdown.js";
import { link } from "../parts/route.js";
import { Time } from "../parts/time.js";
import { ActionButton, announce, Confirm, Empty, Facts, Field, Head, Loaded, Paged, Shape, useFirstField, WriteFailure } from "../parts/ui.js";

const PAGES = { sync: ["Sync and team", Sync], settings: ["Settings", Settings], health: ["Health", Health], trash: ["Trash", Trash] };

export const title = (route) => PAGES[route.page][0];

export function Page({ route, me }) {
  const Shown = PAGES[route.page][1];
  return html`<${Shown} me=${me} route=${route} />`;
}

function Sync() {
  const load = useLoad("sync");
  return html`<${Head} title="Sync and team" kicker="What is shared, and with whom" />
    <${Loaded} load=${load}>
      ${(data) => html`
        ${data.conflicts > 0 && html`<p class="message notice"><${Shape} kind="partial" /><span>${count(data.conflicts, "change")} made in two places ${data.conflicts === 1 ? "waits" : "wait"} for your decision. <a href=${link("review")}>Review</a></span></p>`}
        <${Facts} rows=${[["shared by default", data.share === "none" ? "nothing" : data.share]]} />
        ${data.targets?.length
          ? html`<table class="list"><thead><tr><th scope="col">with</th><th scope="col">shared</th><th scope="col">automatically</th><th scope="col" class="number">not sent yet</th></tr></thead><tbody>${data.targets.map((one) => html`<tr key=${one.target}><td class="path">${one.target}</td><td>${one.share}</td><td>${one.auto ? "yes" : "no"}</td><td class="number">${one.pending ?? ""}</td></tr>`)}</tbody></table>`
          : html`<${Empty} title="This memory is only on this machine.">Run <code>rum sync</code> to share it through the repository's git remote.${data.share === "none" ? " It only receives until the setting “share” says what may leave this machine." : ""}<//>`}
        ${data.team?.length > 0 &&
        html`<section>
          <h2>Team</h2>
          <table class="list"><thead><tr><th scope="col">name</th><th scope="col">role</th><th scope="col">since</th></tr></thead><tbody>${data.team.map((one) => html`<tr key=${one.name}><td>${one.name}</td><td>${one.role}</td><td><${Time} at=${one.created_at} /></td></tr>`)}</tbody></table>
        </section>`}
      `}
    <//>`;
}

function Settings({ me }) {
  const load = useLoad("settings");
  const [text, setText] = useState("");
  return html`<${Head} title="Settings" kicker="Each value, and where it comes from" />
    <form class="filters" aria-label="Filters" onSubmit=${(event) => event.preventDefault()}><${Field} label="Filter"><input type="search" value=${text} onInput=${(event) => setText(event.target.value)} /><//></form>
    <${Loaded} load=${load}>
      ${({ items }) => {
        const found = items.filter((item) => `${item.name} ${item.about}`.toLowerCase().includes(text.toLowerCase()));
        const groups = [["Can be changed here", found.filter((item) => item.editable)], ["Changed with `rum config set`, a file or the environment", found.filter((item) => !item.editable)]];
        return html`${groups.map(([heading, group]) => group.length > 0 && html`<section key=${heading}><h2 class="section"><${Inline} text=${heading} /></h2><ul class="lines settings">${group.map((item) => html`<${Setting} key=${item.name} item=${item} mayWrite=${me.may_write} reload=${load.reload} />`)}</ul></section>`)}
          ${!found.length && html`<p class="muted">No setting fits.</p>`}`;
      }}
    <//>`;
}

const shown = (value) => (value === null || value === "" ? "not set" : Array.isArray(value) ? value.join(", ") || "(none)" : String(value));

const FocusedForm = ({ onSubmit, children }) => html`<form class="inline" ref=${useFirstField()} onSubmit=${onSubmit}>${children}</form>`;

function Setting({ item, mayWrite, reload }) {
  const [value, setValue] = useState(null);
  const [error, setError] = useState(null);
  const id = `setting-${item.name}`;
  const isDefault = item.origin === "default";
  const save = async (next) => {
    setError(null);
    try {
      await put(at("settings", item.name), { value: next });
      announce(next === null ? `${item.name} is back to its default.` : `${item.name} saved.`);
      close();
      reload();
    } catch (problem) {
      setError(problem);
    }
  };
  // The keyboard goes on at the setting.
  const close = () => {
    setValue(null);
    requestAnimationFrame(() => document.getElementById(id)?.closest("li").focus({ preventScroll: true }));
  };
  const submit = (event) => {
    event.preventDefault();
    save(/^a (whole )?number/.test(item.allowed) && value.trim() ? Number(value) : value);
  };
  const choices = item.choices ?? [];
  return html`<li data-item tabindex="-1">
    <div class="line-text">
      <p class="condition"><label for=${id} class="pattern">${item.name}</label></p>
      <p class="muted"><${Inline} text=${item.about} /></p>
    </div>
    <div class="setting-value">
      ${value === null
        ? html`<output id=${id} class="value">${shown(item.value)}</output> <small class="muted">${isDefault ? "default" : `from ${item.origin}`}</small>
            ${mayWrite && item.editable && html`<button type="button" class="small" onClick=${() => setValue(shown(item.value) === "not set" || shown(item.value) === "(none)" ? "" : shown(item.value))}>Change</button>`}
            ${mayWrite && item.editable && !isDefault && html`<button type="button" class="small quiet" onClick=${() => save(null)}>Default</button>`}`
        : html`<${FocusedForm} onSubmit=${submit}>
            ${choices.length ? html`<select id=${id} value=${value} onChange=${(event) => setValue(event.target.value)}>${choices.map((one) => html`<option key=${one} value=${one} selected=${one === value}>${one}</option>`)}</select>` : html`<input id=${id} value=${value} onInput=${(event) => setValue(event.target.value)} aria-describedby=${`${id}-allowed`} /><small id=${`${id}-allowed`}>${item.allowed}</small>`}
            <button type="submit" class="small primary">Save</button><button type="button" class="small" onClick=${close}>Cancel</button>
          <//>`}
      ${error && html`<${WriteFailure} error=${error} />`}
    </div>
  </li>`;
}

function Health() {
  const load = useLoad("doctor");
  return html`<${Head} title="Health" kicker="What rum doctor finds" actions=${html`<button type="button" onClick=${load.reload} disabled=${load.loading}>Check again</button>`} />
    ${load.loading && html`<p class="muted" role="status">The files are being checked. In a large memory this takes a minute.</p>`}
    <${Loaded} load=${load}>
      ${(data) => html`
        <p class=${`message ${data.healthy ? "fine" : "failure"}`}><${Shape} kind=${data.healthy ? "worked" : "failed"} /><span>${data.healthy ? "Nothing is wrong." : `${count(data.problems.length, "problem")} found.`}</span></p>
        <ul class="plain problems">${data.problems.map((one, index) => html`<li key=${index}><strong>${one.what}</strong><p>${one.advice}</p></li>`)}</ul>
        ${data.remarks?.length > 0 && html`<section><h2>Remarks</h2><ul>${data.remarks.map((one) => html`<li key=${one}>${one}</li>`)}</ul></section>`}
        <section><h2>Facts</h2><${Facts} rows=${Object.entries(data.facts).map(([name, value]) => [name.replaceAll("_", " "), name.endsWith("bytes") ? sizeText(value) : factText(value)])} /></section>
        <p><a href=${link("trash")}>What is in the trash</a></p>
      `}
    <//>`;
}

const sizeText = (value) => (typeof value === "number" ? size(value) : Object.entries(value ?? {}).map(([name, one]) => `${name}: ${size(one)}`).join(", "));

const UNITS = ["bytes", "kB", "MB", "GB", "TB"];

function size(bytes) {
  const power = Math.min(UNITS.length - 1, Math.max(0, Math.floor(Math.log10(bytes || 1) / 3)));
  return `${(bytes / 1000 ** power).toLocaleString("en", { maximumFractionDigits: 1 })} ${UNITS[power]}`;
}

function factText(value) {
  if (value === null || value === undefined) return null;
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (typeof value === "number") return value.toLocaleString("en");
  if (Array.isArray(value)) return value.length ? value.map((one) => factText(one)).join(", ") : "none";
  if (typeof value === "object") return Object.entries(value).map(([name, one]) => `${name.replaceAll("_", " ")}: ${factText(one)}`).join(", ") || "none";
  return String(value);
}

function Trash({ me }) {
  const pages = usePages("trash", { limit: 50 });
  const [deleting, setDeleting] = useState(null);
  const restore = async (item) => {
    await post("trash/restore", { id: item.id, kind: item.kind });
    announce("Restored.");
    pages.reload();
  };
  const remove = async () => {
    await post("trash/delete", { id: deleting.id, kind: deleting.kind });
    announce("Deleted for good.");
    setDeleting(null);
    pages.reload();
  };
  return html`<${Head} title="Trash" kicker="What was forgotten; each item is deleted for good after 30 days" />
    <${Paged} pages=${pages} what="item" empty=${html`<${Empty} title="The trash is empty.">What you forget stays here for 30 days.<//>`}>
      ${(items) => html`<ul class="lines">
        ${items.map(
          (item) => html`<li key=${item.kind + item.id + item.forgotten_at} data-item tabindex="-1">
            <div class="line-text"><p><span class="kind">${item.kind}</span> ${item.label}</p><p class="muted">forgotten <${Time} at=${item.forgotten_at} />${item.forgotten_by.startsWith("agent_") ? "" : ` by ${item.forgotten_by}`}, deleted for good <${Time} at=${item.until} /></p></div>
            ${me.may_write && html`<p class="line-actions"><${ActionButton} kind="small" run=${() => restore(item)}>Restore<//><button type="button" class="small danger" onClick=${() => setDeleting(item)}>Delete now</button></p>`}
          </li>`,
        )}
      </ul>`}
    <//>
    ${deleting && html`<${Confirm} title="Delete it for good?" action="Delete" onConfirm=${remove} onClose=${() => setDeleting(null)}><p>${deleting.label}</p><p>This cannot be undone.</p><//>`}`;
}
