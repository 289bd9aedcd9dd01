import { count, html, percent, useState } from "../parts/base.js";
import { at, post, useLoad } from "../parts/api.js";
import { Inline } from "../parts/markdown.js";
import { link } from "../parts/route.js";
import { Time } from "../parts/time.js";
import { ActionButton, announce, Confirm, Empty, Failure, Head, Loaded, Path, Shape } from "../parts/ui.js";
import { isOld } from "./notes.js";

export const title = () => "Stale";

export function Page({ me }) {
  const load = useLoad("stale");
  return html`<${Head} title="Stale" kicker="What is said about code that has changed since: confirm what still holds" />
    <div><${Loaded} load=${load}>${(data) => html`<${Files} data=${data} me=${me} reload=${load.reload} />`}<//></div>
    <div><${OldNotes} /></div>`;
}

/** Notes that may name no code, but that nobody confirmed for long. */
function OldNotes() {
  const load = useLoad("notes", { limit: 100 });
  const old = (load.data?.items ?? []).filter((note) => !note.retired && isOld(note));
  if (load.error) return html`<${Failure} error=${load.error} retry=${load.reload} />`;
  if (!old.length) return null;
  return html`<section>
    <h2 class="section">Notes that nobody confirmed for half a year</h2>
    <ul class="lines">${old.map((note) => html`<li key=${note.id}><div class="line-text"><p><a data-item class="entry-goal" href=${link("notes", note.id)}>${note.title}</a> <span class="label">note</span></p><p class="muted">found <${Time} at=${note.discovered_at} /> by ${note.discovered_by}</p></div></li>`)}</ul>
  </section>`;
}

function Files({ data, me, reload }) {
  if (!data.stale) return html`<${Empty} title="Nothing is stale.">${count(data.checked, "item was", "items were")} compared with the code as it is now.<//>`;
  const shown = data.files.reduce((total, file) => total + file.memories.length, 0);
  return html`<p class="muted" role="status">${data.stale} of ${data.checked} compared items ${data.stale === 1 ? "speaks" : "speak"} of code that changed or is gone.${shown < data.stale ? ` The newest ${shown} are shown.` : ""}</p>
    ${data.files.map(
      (file) => html`<section key=${file.path}>
        <h2 class="section"><${Path} path=${file.path} /></h2>
        <ul class="lines">${file.memories.map((memory) => html`<${Memory} key=${memory.id} memory=${memory} me=${me} reload=${reload} />`)}</ul>
      </section>`,
    )}`;
}

/** The place of a button that a line lacks: no other button is where the next line has this one. */
const Slot = ({ children }) => html`<button type="button" class="small absent" disabled>${children}</button>`;

function Memory({ memory, me, reload }) {
  const isGone = memory.freshness === "gone";
  const isMemory = memory.kind === "memory";
  const [asks, setAsks] = useState(false);
  const target = [isMemory ? "memories" : `${memory.kind}s`, memory.id];
  const confirm = async () => {
    await post("stale/confirm", { ids: [memory.id], kind: memory.kind });
    announce("Confirmed: from now on it is compared with the code as it is today.");
    reload();
  };
  const forget = async () => {
    await post(at(...target, "forget"), {});
    setAsks(false);
    announce("Moved to the trash for 30 days.", async () => {
      await post("trash/restore", { id: memory.id, kind: memory.kind });
      announce("Restored.");
      reload();
    });
    reload();
  };
  return html`<li>
    <div class="line-text">
      <p><a data-item class="entry-goal" href=${link(isMemory ? "memory" : `${memory.kind}s`, memory.id)}><${Inline} text=${memory.goal} /></a>${!isMemory && html` <span class="label">${memory.kind}</span>`}</p>
      <p class="muted"><${Inline} text=${memory.summary} /></p>
      <p><${Shape} kind=${isGone ? "failed" : "partial"} /> ${isGone ? "The code is gone" : `${memory.code_changed < 0.01 ? "Less than 1 %" : percent(memory.code_changed)} of the code changed`}: ${isMemory ? html`<a class="path" title="The code then and now" href=${link("memory", memory.id, "code")}>${memory.code_at}</a>` : html`<code>${memory.code_at}</code>`}${memory.since && html`, by “${memory.since.subject}” <code>${memory.since.commit.slice(0, 10)}</code> <${Time} at=${memory.since.at} />`}</p>
    </div>
    ${me.may_write && html`<p class="line-actions">${isGone ? html`<${Slot}>Still true<//>` : html`<${ActionButton} kind="small" run=${confirm}>Still true<//>`}${memory.kind === "note" ? html`<${Slot}>Forget<//>` : html`<button type="button" class="small danger" onClick=${() => setAsks(true)}>Forget</button>`}</p>`}
    ${asks && html`<${Confirm} title=${`Forget this ${memory.kind}?`} action="Forget" onConfirm=${forget} onClose=${() => setAsks(false)}><p>It is found and offered no more. It stays in the trash for 30 days; until then you can restore it.</p><//>`}
  </li>`;
}
