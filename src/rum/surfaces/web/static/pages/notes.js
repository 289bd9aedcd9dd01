import { count, html, useState } from "../parts/base.js";
import { at, post, useLoad, usePages } from "../parts/api.js";
import { Markdown } from "../parts/markdown.js";
import { go, link } from "../parts/route.js";
import { Time } from "../parts/time.js";
import { ActionButton, announce, CodeLabel, Confirm, Empty, Facts, Field, Freshness, Head, Loaded, Paged, Select, Shape, Tags, TextArea, useFirstField, WriteFailure } from "../parts/ui.js";
import { fromLines } from "./memory.js";

export const title = (route) => route.parts[0] ?? "Notes";

export function Page({ route, me }) {
  const [slug] = route.parts;
  return slug ? html`<${Note} key=${slug} slug=${slug} me=${me} />` : html`<${List} me=${me} />`;
}

const MONTH = 30 * 86_400;

/** Whether nobody said for half a year that it holds. */
export const isOld = (note) => note.discovered_at && Date.now() / 1000 - note.discovered_at > 6 * MONTH;

function List({ me }) {
  const pages = usePages("notes", { limit: 50 });
  const [adding, setAdding] = useState(false);
  return html`<${Head} title="Notes" kicker="Markdown files that are put into the prompts they fit" actions=${me.may_write && html`<button type="button" onClick=${() => setAdding(!adding)} aria-expanded=${adding}>New note</button>`} />
    ${adding && html`<${NoteForm} onDone=${() => (setAdding(false), pages.reload())} onCancel=${() => setAdding(false)} />`}
    ${(pages.first?.broken ?? []).map((one) => html`<p key=${one.file} class="message notice"><${Shape} kind="failed" /><span><code>${one.file}</code> cannot be read: ${one.problem}</span></p>`)}
    <${Paged} pages=${pages} what="note" empty=${html`<${Empty} title="No notes yet.">Write one with “New note”, or run <code>rum note add</code>.<//>`}>
      ${(items) => html`<div class="scroll"><table class="list">
        <thead><tr><th scope="col">note</th><th scope="col">importance</th><th scope="col" class="number">entries</th><th scope="col">found</th><th scope="col">by</th></tr></thead>
        <tbody>
          ${items.map(
            (one) => html`<tr key=${one.id} class=${one.retired ? "old" : null}>
              <td><a data-item href=${link("notes", one.id)}>${one.title}</a> ${one.retired && html`<span class="label" title=${one.retired}>retired</span>`} ${!one.retired && isOld(one) && html`<span class="label">not confirmed for ${Math.floor((Date.now() / 1000 - one.discovered_at) / MONTH)} months</span>`} <${CodeLabel} of=${one} /> <${Tags} tags=${one.tags} /></td>
              <td>${one.importance}</td>
              <td class="number">${one.entries}</td>
              <td>${one.discovered_at ? html`<${Time} at=${one.discovered_at} />` : ""}</td>
              <td>${one.discovered_by}</td>
            </tr>`,
          )}
        </tbody>
      </table></div>`}
    <//>`;
}

function Note({ slug, me }) {
  const load = useLoad(at("notes", slug));
  const [adding, setAdding] = useState(null);
  const [forgetting, setForgetting] = useState(null);
  return html`<${Loaded} load=${load} title="Note">
    ${(note) => {
      const newest = note.entries.find((entry) => entry.n === note.newest) ?? note.entries.at(-1);
      const confirm = async () => {
        await post("notes", { ...draftOf(newest), content: newest.content });
        announce("Confirmed: a new entry with today's date says the same.");
        load.reload();
      };
      const forget = async () => {
        await post(at("notes", `${note.id}#${forgetting}`, "forget"), {});
        announce("The entry was moved to the trash.");
        setForgetting(null);
        if (note.entries.length === 1) go(link("notes"));
        else load.reload();
      };
      return html`<${Head}
          title=${newest.title}
          kicker=${html`Note · <code>${note.path}</code>`}
          actions=${me.may_write &&
          html`<${ActionButton} run=${confirm} title="Say again that it holds, with today's date">Still true<//>
            <button type="button" onClick=${() => setAdding(newest)}>Correct it</button>`}
        />
        ${adding && html`<${NoteForm} from=${adding} onDone=${() => (setAdding(null), load.reload())} onCancel=${() => setAdding(null)} />`}
        <${Freshness} memory=${note} />
        ${(note.contradictions ?? []).map((one, index) => html`<p key=${index} class="message notice"><${Shape} kind="partial" /><span>“${one.said}” – but <a href=${link("notes", one.id.split("#")[0])}>${one.id}</a> says: “${one.says}”</span></p>`)}
        ${[...note.entries].reverse().map(
          (entry) => html`<article key=${entry.n} class="note-entry" id=${`entry-${entry.n}`}>
            <h2 class="section">Entry ${entry.n}${entry.n === note.newest && html` <span class="label">current</span>`}${(entry.deprecated || entry.superseded_by) && html` <span class="label">retired</span>`}</h2>
            <${Markdown} text=${entry.content} />
            <${Facts}
              rows=${[
                ["when", entry.when_to_use?.length ? entry.when_to_use.map((one) => html`<code>${one}</code> `) : null],
                ["found", entry.discovered_at && html`<${Time} at=${entry.discovered_at} />`],
                ["by", entry.discovered_by],
                ["in", entry.discovered_in],
                ["source", entry.source],
                ["importance", entry.importance],
                ["tags", entry.tags?.length ? html`<${Tags} tags=${entry.tags} />` : null],
                ["instead read", entry.superseded_by && html`<a href=${link("notes", entry.superseded_by)}>${entry.superseded_by}</a>`],
                ["remarks", entry.remarks?.join(" ")],
              ]}
            />
            ${me.may_write && html`<p><button type="button" class="small quiet" onClick=${() => setForgetting(entry.n)}>Forget this entry</button></p>`}
          </article>`,
        )}
        ${note.related?.length > 0 && html`<section><h2 class="section">Related</h2><ul class="plain">${note.related.map((id) => html`<li key=${id}><a href=${link("notes", id)}>${id}</a></li>`)}</ul></section>`}
        ${forgetting != null && html`<${Confirm} title=${`Forget entry ${forgetting}?`} action="Forget" onConfirm=${forget} onClose=${() => setForgetting(null)}><p>It stays in the trash for 30 days. ${note.entries.length === 1 ? "It is the only entry, so the note goes with it." : `${count(note.entries.length - 1, "entry", "entries")} stay.`}</p><//>`}`;
    }}
  <//>`;
}

const draftOf = (entry) => ({ title: entry.title, when_to_use: entry.when_to_use, tags: entry.tags, importance: entry.importance });

/** A new entry: notes are append-only, so a correction is an entry too. */
function NoteForm({ from, onDone, onCancel }) {
  const [form, setForm] = useState({
    title: from?.title ?? "",
    content: from?.content ?? "",
    when: (from?.when_to_use ?? []).join("\n"),
    tags: (from?.tags ?? []).join(", "),
    importance: from?.importance ?? "medium",
  });
  const [error, setError] = useState(null);
  const set = (name) => (value) => setForm((old) => ({ ...old, [name]: value }));
  const save = async (event) => {
    event.preventDefault();
    setError(null);
    const tags = form.tags.split(",").map((tag) => tag.trim()).filter(Boolean);
    try {
      const added = await post("notes", { title: form.title, content: form.content, when_to_use: fromLines(form.when), tags, importance: form.importance });
      announce([added.created ? "Note written." : "Entry added; it is the current one.", ...(added.remarks ?? [])].join(" "));
      onDone();
    } catch (problem) {
      setError(problem);
    }
  };
  return html`<form class="form panel" ref=${useFirstField()} onSubmit=${save} aria-label=${from ? "Correct the note" : "New note"}>
    ${from && html`<p class="muted">The old entry stays; the new one is used from now on.</p>`}
    <${Field} label="Title"><input required value=${form.title} readOnly=${Boolean(from)} onInput=${(event) => set("title")(event.target.value)} /><//>
    <${Field} label="Text" hint="Markdown, 200 to 500 words are ideal"><${TextArea} required value=${form.content} onInput=${set("content")} /><//>
    <${Field} label="When to use it" hint="one pattern a line: auth|login, or plain words"><${TextArea} required value=${form.when} onInput=${set("when")} /><//>
    <${Field} label="Tags" hint="with commas between"><input value=${form.tags} onInput=${(event) => set("tags")(event.target.value)} /><//>
    <${Select} label="Importance" value=${form.importance} onChange=${set("importance")} options=${["low", "medium", "high", "critical"].map((one) => [one, one])} />
    ${error && html`<${WriteFailure} error=${error} />`}
    <p class="buttons"><button type="submit" class="primary">Save</button><button type="button" onClick=${onCancel}>Cancel</button></p>
  </form>`;
}
