// The difference of two texts, by words.
import { html } from "./base.js";

const MOST = 1500; // Words of a text that are compared; longer ones are shown whole

const split = (text) => text.match(/\s+|[^\s]+/g) ?? [];

/** `[["same" | "gone" | "new", text]]` of two texts. */
export const diffWords = (before, after) => diff(split(before), split(after));

/** The same of two lists of pieces, by the longest common subsequence. */
function diff(left, right) {
  if (left.length > MOST || right.length > MOST) return [["gone", left.join("")], ["new", right.join("")]];
  const width = right.length + 1;
  const lengths = new Uint16Array((left.length + 1) * width);
  for (let i = left.length - 1; i >= 0; i--)
    for (let j = right.length - 1; j >= 0; j--)
      lengths[i * width + j] =
        left[i] === right[j]
          ? lengths[(i + 1) * width + j + 1] + 1
          : Math.max(lengths[(i + 1) * width + j], lengths[i * width + j + 1]);
  const parts = [];
  const add = (kind, text) => {
    if (parts.at(-1)?.[0] === kind) parts.at(-1)[1] += text;
    else parts.push([kind, text]);
  };
  let i = 0;
  let j = 0;
  while (i < left.length || j < right.length) {
    if (i < left.length && j < right.length && left[i] === right[j]) {
      add("same", left[i++]);
      j += 1;
    } else if (j >= right.length || (i < left.length && lengths[(i + 1) * width + j] >= lengths[i * width + j + 1]))
      add("gone", left[i++]);
    else add("new", right[j++]);
  }
  return parts;
}

const AROUND = 3; // Equal lines that are shown beside a change

/** The difference of two lists of lines, one mark a line; long equal parts are left out. */
export function LineDiff({ before, after }) {
  const parts = diff(before.map((line) => `${line}\n`), after.map((line) => `${line}\n`)).map(([kind, text]) => [kind, text.slice(0, -1).split("\n")]);
  const marks = { same: " ", gone: "-", new: "+" };
  const shown = parts.flatMap(([kind, lines], index) => {
    const begin = index === 0 ? 0 : AROUND;
    const end = index === parts.length - 1 ? 0 : AROUND;
    const left = lines.length - begin - end;
    if (kind !== "same" || parts.length === 1 || left < 2) return lines.map((line) => [kind, line]);
    const equal = (from, to) => lines.slice(from, to).map((line) => [kind, line]);
    return [...equal(0, begin), ["left-out", `${left} equal lines`], ...equal(lines.length - end)];
  });
  return html`<pre class="line-diff">
${shown.map(([kind, line]) => html`<span class=${kind}>${marks[kind] ?? "⋯"} ${line}${"\n"}</span>`)}</pre
  >`;
}

export function Diff({ before = "", after = "" }) {
  if (!before || !after) return html`<p class=${before ? "diff gone" : "diff new"}>${before ? html`<del>${before}</del>` : html`<ins>${after}</ins>`}</p>`;
  return html`<p class="diff">
    ${diffWords(before, after).map(([kind, text]) =>
      kind === "gone" ? html`<del>${text}</del>` : kind === "new" ? html`<ins>${text}</ins>` : text,
    )}
  </p>`;
}

/** Every text of a value by its place: `{"outcome.summary": "…"}`. */
export function flatten(value, place = "", found = {}) {
  if (Array.isArray(value)) {
    if (value.every((one) => typeof one !== "object" || one === null)) found[place] = value.join("\n");
    else value.forEach((one, index) => flatten(one, `${place} ${index + 1}`, found));
  } else if (value && typeof value === "object")
    for (const [name, one] of Object.entries(value)) flatten(one, place ? `${place}.${name}` : name, found);
  else if (value != null) found[place] = String(value);
  return found;
}

/** A place in words: `outcome › failure reason`. */
export const placeName = (place) => place.replaceAll("_", " ").replaceAll(".", " › ");

/** The places at which two values differ, with both texts. */
export function changes(before, after) {
  const left = flatten(before);
  const right = flatten(after);
  return [...new Set([...Object.keys(left), ...Object.keys(right)])]
    .filter((place) => left[place] !== right[place])
    .map((place) => ({ place, before: left[place] ?? "", after: right[place] ?? "" }));
}
