import { count, html, useState, words } from "../parts/base.js";
import { at, post, useLoad, usePages } from "../parts/api.js";
import { Entries } from "../parts/entries.js";
import { Inline } from "../parts/markdown.js";
import { go, link } from "../parts/route.js";
import { dateText, Time } from "../parts/time.js";
import { ActionButton, announce, Confirm, Empty, Facts, Head, Loaded, Paged, Shape, Tags } from "../parts/ui.js";

export const title = (route) => ({ chapter: "Chapter", wisdom: "Wisdom" })[route.page] ?? "Chapters and wisdom";

const WHO = { drawn: "quoted by RUM from its memories", model: "written by a language model", given: "written by hand" };

export function Page({ route, me }) {
  const [id] = route.parts;
  if (route.page === "chapter") return html`<${One} key=${id} kind="chapter" path="chapters" id=${id} me=${me} />`;
  if (route.page === "wisdom" && id) return html`<${One} key=${id} kind="wisdom" path="wisdom" id=${id} me=${me} />`;
  return html`<${Head} title="Chapters and wisdom" kicker="What many memories say together, each claim with its evidence" />
    <div class="halves">
      <section aria-labelledby="chapters"><h2 id="chapters">Chapters</h2><${List} kind="chapter" path="chapters" tag=${route.query.tag} /></section>
      <section aria-labelledby="wisdom"><h2 id="wisdom">Wisdom</h2><${List} kind="wisdom" path="wisdom" tag=${route.query.tag} /></section>
    </div>`;
}

function List({ kind, path, tag }) {
  const pages = usePages(path, { tag, limit: 30 });
  const none =
    kind === "chapter"
      ? html`<${Empty} title="No chapters yet.">Run <code>rum chapter create --auto</code> to group related memories.<//>`
      : html`<${Empty} title="No wisdom yet.">Run <code>rum wisdom synthesize</code> when there are two chapters or more.<//>`;
  return html`<${Paged} pages=${pages} what=${kind} many=${kind === "wisdom" ? "wisdom" : "chapters"} empty=${none}>
    ${(items) => html`<ul class="cards">
      ${items.map(
        (one) => html`<li key=${one.id}>
          <h3><a data-item href=${link(kind, one.id)}><${Inline} text=${one.title ?? one.summary} /></a></h3>
          ${one.title && html`<p class="clamp"><${Inline} text=${one.summary} /></p>`}
          <p class="muted">
            ${one.memory_count != null && `${count(one.memory_count, "memory", "memories")} · `}${dateText(one.start_ts || one.created_at)} to ${dateText(one.end_ts || one.updated_at)}
            ${one.stale?.length > 0 && html` · <span class="label">needs a refresh</span>`}
          </p>
          <${Tags} tags=${one.tags} />
        </li>`,
      )}
    </ul>`}
  <//>`;
}

const LISTS = { learnings: "Learned", insights: "Insights", patterns: "Patterns", best_practices: "Good practice" };

function One({ kind, path, id, me }) {
  const load = useLoad(at(path, id));
  const [forgetting, setForgetting] = useState(false);
  return html`<${Loaded} load=${load} title=${kind === "chapter" ? "Chapter" : "Wisdom"}>
    ${(data) => {
      const group = data[kind];
      const goals = Object.fromEntries((data.members ?? []).map((entry) => [entry.id, entry.goal]));
      const lists = Object.groupBy ? Object.groupBy(data.claims, (claim) => claim.list) : groupBy(data.claims);
      const forget = async () => {
        await post(at(path, id, "forget"), {});
        announce("Moved to the trash.", async () => {
          await post("trash/restore", { id, kind });
          announce("Restored.");
          go(link(kind, id));
        });
        go(link("chapters"));
      };
      return html`<${Head}
          title=${group.title ?? "Wisdom"}
          kicker=${kind === "chapter" ? "Chapter" : "From several chapters"}
          actions=${me.may_write &&
          html`<${ActionButton}
              run=${async () => {
                await post(at(path, id, "refresh"), {});
                announce("Refreshed.");
                load.reload();
              }}
              >Refresh<//
            ><button type="button" class="danger" onClick=${() => setForgetting(true)}>Forget</button>`}
        >
          <p class="lead text"><${Inline} text=${group.summary} /></p>
        <//>
        ${group.stale?.length > 0 && html`<p class="message notice"><${Shape} kind="partial" /><span>Needs a refresh: ${group.stale.join("; ")}</span></p>`}
        <div class="columns">
          <div>
            ${Object.entries(lists).map(([name, claims]) => html`<section key=${name}><h2>${LISTS[name] ?? words(name)}</h2><ul class="claims">${claims.map((claim, index) => html`<${Claim} key=${index} claim=${claim} goals=${goals} />`)}</ul></section>`)}
            ${group.contradictions?.length > 0 && html`<section><h2>Contradictions</h2><ul class="claims">${group.contradictions.map((one, index) => html`<li key=${index}><p>${one.claim}</p><p>against: ${one.against}</p></li>`)}</ul></section>`}
            ${data.members && html`<section><h2>Its memories</h2><${Entries} entries=${data.members} /></section>`}
            ${data.chapters && html`<section><h2>Its chapters</h2><ul class="plain">${data.chapters.map((one) => html`<li key=${one.id}><a data-item href=${link("chapter", one.id)}>${one.title}</a></li>`)}</ul></section>`}
          </div>
          <div class="side">
            <section>
              <h2>About it</h2>
              <${Facts}
                rows=${[
                  ["id", html`<code>${group.id}</code>`],
                  ["text", WHO[group.words] ?? group.words],
                  ["memories", group.memory_count],
                  ["from", group.start_ts ? `${dateText(group.start_ts)} to ${dateText(group.end_ts)}` : null],
                  ["written", html`<${Time} at=${group.updated_at ?? group.created_at} />`],
                  ["topics", group.topics?.join(", ")],
                  ["tags", group.tags?.length ? html`<${Tags} tags=${group.tags} />` : null],
                ]}
              />
            </section>
          </div>
        </div>
        ${forgetting && html`<${Confirm} title=${`Forget this ${kind}?`} action="Forget" onConfirm=${forget} onClose=${() => setForgetting(false)}><p>Its memories stay. It stays in the trash for 30 days.</p><//>`}`;
    }}
  <//>`;
}

const groupBy = (claims) => claims.reduce((lists, claim) => ({ ...lists, [claim.list]: [...(lists[claim.list] ?? []), claim] }), {});

function Claim({ claim, goals }) {
  const { evidence } = claim;
  const name = (id) => html`<li key=${id}><a href=${link("memory", id)}><${Inline} text=${goals[id] ?? id} /></a></li>`;
  return html`<li>
    <p class="text"><${Inline} text=${claim.text} /></p>
    <details>
      <summary>${count(evidence.supporting, "memory supports it", "memories support it")}${evidence.against ? `, ${evidence.against} against` : ""}${evidence.last_confirmed ? html`, last <${Time} at=${evidence.last_confirmed} />` : null}</summary>
      <ul class="plain">${evidence.memory_ids.map(name)}</ul>
      ${evidence.against_ids?.length > 0 && html`<p>Against it:</p><ul class="plain">${evidence.against_ids.map(name)}</ul>`}
    </details>
  </li>`;
}
