// What was offered to agents, why, at what cost, and what came of it.
import { count, html } from "./base.js";
import { Inline } from "./markdown.js";
import { link } from "./route.js";
import { exact, Time } from "./time.js";
import { Outcome } from "./ui.js";

const Named = ({ one }) => {
  if (one.id.startsWith("rule_")) return html`<a data-item href=${link("rules", one.id)}>The rule</a>`;
  return one.goal ? html`<a data-item href=${link("memory", one.id)}><${Inline} text=${one.goal} /></a>` : html`<span class="muted">${one.id} is no longer there</span>`;
};

/** `about` says what the list is of, and need not be named again: a `memory` or a `session`. */
export function OfferList({ offers, about, me }) {
  return html`<ul class="offers">
    ${offers.map(
      (offer, index) => html`<li key=${index}>
        <p class="offer-head">
          <strong>because ${offer.why}</strong>
          <span class="muted">${offer.kind} · ${count(offer.tokens ?? 0, "token")} · <${Time} at=${offer.at} form=${exact} />${about !== "session" && me.role === "owner" && html` · <a href=${link("session", offer.client, offer.session)}>session</a>`}</span>
        </p>
        ${about !== "memory" && offer.names.map((one) => html`<p key=${one.id}><${Named} one=${one} /></p>`)}
        ${offer.text && html`<pre class="offered">${offer.text}</pre>`}
        <p class="muted">Came of it: <strong>${offer.outcome === "nothing" ? "nothing that was seen" : offer.outcome}</strong>${offer.success != null && html`; the turn <${Outcome} kind=${offer.success ? "worked" : "failed"} />`}</p>
      </li>`,
    )}
  </ul>`;
}
