import { count, html, percent } from "../parts/base.js";
import { at, post, useLoad } from "../parts/api.js";
import { link } from "../parts/route.js";
import { Time } from "../parts/time.js";
import { ActionButton, announce, Empty, Head, Loaded, Path, Shape } from "../parts/ui.js";

export const title = () => "Stale";

export function Page({ me }) {
  const load = useLoad("stale");
  return html`<${Head} title="Stale" kicker="Memories about code that has changed since: confirm what still holds" />
    <${Loaded} load=${load}>${(data) => html`<${Files} data=${data} me=${me} reload=${load.reload} />`}<//>`;
}

function Files({ data, me, reload }) {
  if (!data.stale) return html`<${Empty} title="Nothing is stale.">${count(data.checked, "memory was", "memories were")} compared with the code as it is now.<//>`;
  const shown = data.files.reduce((total, file) => total + file.memories.length, 0);
  return html`<p class="muted" role="status">${data.stale} of ${data.checked} compared memories ${data.stale === 1 ? "speaks" : "speak"} of code that changed or is gone.${shown < data.stale ? ` The newest ${shown} are shown.` : ""}</p>
    ${data.files.map(
      (file) => html`<section key=${file.path}>
        <h2 class="section"><${Path} path=${file.path} /></h2>
        <ul class="lines">${file.memories.map((memory) => html`<${Memory} key=${memory.id} memory=${memory} me=${me} reload=${reload} />`)}</ul>
      </section>`,
    )}`;
}

function Memory({ memory, me, reload }) {
  const isGone = memory.freshness === "gone";
  const confirm = async () => {
    await post("stale/confirm", { ids: [memory.id] });
    announce("Confirmed: from now on it is compared with the code as it is today.");
    reload();
  };
  const forget = async () => {
    await post(at("memories", memory.id, "forget"), {});
    announce("Moved to the trash for 30 days.", async () => {
      await post("trash/restore", { id: memory.id, kind: "memory" });
      announce("Restored.");
      reload();
    });
    reload();
  };
  return html`<li>
    <div class="line-text">
      <p><a data-item class="entry-goal" href=${link("memory", memory.id)}>${memory.goal}</a></p>
      <p class="muted">${memory.summary}</p>
      <p><${Shape} kind=${isGone ? "failed" : "partial"} /> ${isGone ? "The code is gone" : `${percent(memory.code_changed)} of the code changed`}: <a class="path" title="The code then and now" href=${link("memory", memory.id, "code")}>${memory.code_at}</a>${memory.since && html`, by “${memory.since.subject}” <code>${memory.since.commit.slice(0, 10)}</code> <${Time} at=${memory.since.at} />`}</p>
    </div>
    ${me.may_write && html`<p class="line-actions">${!isGone && html`<${ActionButton} kind="small" run=${confirm}>Still true<//>`}<${ActionButton} kind="small danger" run=${forget}>Forget<//></p>`}
  </li>`;
}
