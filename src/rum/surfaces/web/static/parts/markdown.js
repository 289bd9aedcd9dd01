// Markdown as elements. Only what notes use; every text stays text, and no address but http(s) becomes a link.
import { html } from "./base.js";

const INLINE = /(`+)(.+?)\1|\*\*(.+?)\*\*|__(.+?)__|\*(?!\s)(.+?)\*|\[([^\]]*)\]\(([^)\s]+)\)/s;

function inline(text, depth = 0) {
  const found = depth < 8 ? INLINE.exec(text) : null;
  if (!found) return text;
  const [whole, , code, strong, alsoStrong, emphasis, label, address] = found;
  const inner = (part) => inline(part, depth + 1);
  let node = whole;
  if (code != null) node = html`<code>${code}</code>`;
  else if (strong ?? alsoStrong) node = html`<strong>${inner(strong ?? alsoStrong)}</strong>`;
  else if (emphasis) node = html`<em>${inner(emphasis)}</em>`;
  else if (address != null)
    node = /^https?:\/\//i.test(address)
      ? html`<a href=${address} rel="noreferrer noopener" target="_blank">${label || address}</a>`
      : html`<span>${label || address}</span>`;
  return [text.slice(0, found.index), node, inline(text.slice(found.index + whole.length), depth)];
}

// Other marks are no marks in a text that was not written as Markdown: `__init__` is a name.
const CODE = /(`+)([^`](?:.*?[^`])?)\1(?!`)/s;

/** A text with its code as code; `asked` is a regular expression for words to mark. */
export function Inline({ text, asked = null }) {
  const found = CODE.exec(text);
  if (!found) return html`<span>${marked(text, asked)}</span>`;
  const [whole, , code] = found;
  return html`<span>${marked(text.slice(0, found.index), asked)}<code>${marked(code, asked)}</code><${Inline} text=${text.slice(found.index + whole.length)} asked=${asked} /></span>`;
}

const marked = (text, asked) => (asked ? text.split(asked).map((part, index) => (index % 2 ? html`<mark>${part}</mark>` : part)) : text);

// Words that stand in most texts.
const COMMON = new Set("and are but for from has have how into not that the then they this was were what when where which why will with you".split(" "));

/** What to mark for a question: its words, also where they begin a longer one. Null if there are none. */
export function askedWords(question) {
  const words = (question.match(/[\p{L}\p{N}_]{3,}/gu) ?? []).filter((word) => !COMMON.has(word.toLowerCase()));
  return words.length ? new RegExp(`((?<![\\p{L}\\p{N}])(?:${[...new Set(words)].join("|")}))`, "giu") : null;
}

const ITEM = /^(\s*)([-*+]|\d{1,9}[.)])\s+(.*)$/;

/** The blocks of a text: `[kind, ...]`. */
function blocks(text) {
  const lines = text.replaceAll("\r\n", "\n").split("\n");
  const found = [];
  let index = 0;
  while (index < lines.length) {
    const line = lines[index];
    const fence = /^\s*(```+|~~~+)/.exec(line);
    const heading = /^(#{1,6})\s+(.*)$/.exec(line);
    if (fence) {
      const code = [];
      index += 1;
      while (index < lines.length && !lines[index].trim().startsWith(fence[1])) code.push(lines[index++]);
      index += 1;
      found.push(["code", code.join("\n")]);
    } else if (!line.trim()) {
      index += 1;
    } else if (heading) {
      found.push(["heading", heading[1].length, heading[2]]);
      index += 1;
    } else if (/^\s*([-*_])(\s*\1){2,}\s*$/.test(line)) {
      found.push(["rule"]);
      index += 1;
    } else if (line.startsWith(">")) {
      const quoted = [];
      while (index < lines.length && lines[index].startsWith(">")) quoted.push(lines[index++].replace(/^>\s?/, ""));
      found.push(["quote", quoted.join("\n")]);
    } else if (ITEM.test(line)) {
      const items = [];
      const ordered = /\d/.test(ITEM.exec(line)[2]);
      while (index < lines.length && lines[index].trim()) {
        const item = ITEM.exec(lines[index]);
        if (item) items.push(item[3]);
        else items[items.length - 1] += `\n${lines[index].trim()}`;
        index += 1;
      }
      found.push(["list", ordered, items]);
    } else {
      const paragraph = [];
      while (index < lines.length && lines[index].trim() && !/^(#{1,6}\s|>|\s*(```|~~~))/.test(lines[index])) {
        if (paragraph.length && ITEM.test(lines[index])) break;
        paragraph.push(lines[index++]);
      }
      if (!paragraph.length) paragraph.push(lines[index++]);
      found.push(["paragraph", paragraph.join("\n")]);
    }
  }
  return found;
}

function Block([kind, ...parts], depth) {
  if (kind === "code") return html`<pre><code>${parts[0]}</code></pre>`;
  if (kind === "heading") return html`<p class="md-heading">${inline(parts[1])}</p>`;
  if (kind === "rule") return html`<hr />`;
  if (kind === "quote") return html`<blockquote>${depth < 4 ? blocks(parts[0]).map((one) => Block(one, depth + 1)) : parts[0]}</blockquote>`;
  if (kind === "list") {
    const items = parts[1].map((item) => html`<li>${inline(item)}</li>`);
    return parts[0] ? html`<ol>${items}</ol>` : html`<ul>${items}</ul>`;
  }
  return html`<p>${inline(parts[0])}</p>`;
}

const LONGEST = 60_000;

export function Markdown({ text }) {
  const shown = (text ?? "").slice(0, LONGEST);
  return html`<div class="markdown">
    ${blocks(shown).map((one) => Block(one, 0))} ${text?.length > LONGEST && html`<p class="muted">The rest is not shown.</p>`}
  </div>`;
}
