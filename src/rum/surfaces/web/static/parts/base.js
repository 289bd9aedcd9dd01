// What every module needs: the view library, and small functions of values.
export {
  html,
  render,
  Component,
  useCallback,
  useEffect,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from "../vendor/htm-preact.js";

export const classes = (...names) => names.filter(Boolean).join(" ");

export const count = (number, one, many = `${one}s`) =>
  `${Number(number).toLocaleString("en")} ${number === 1 ? one : many}`;

const WORDS = {
  bug_fix: "bug fix",
  feature_add: "feature",
  test_write: "tests",
  dependency_update: "dependency",
  security_fix: "security fix",
};

/** A value of an enumeration in words. */
export const words = (value) => WORDS[value] ?? String(value ?? "").replaceAll("_", " ");

export const percent = (share) => `${Math.round(share * 100)} %`;

export const shorten = (text, most) => (text.length > most ? `${text.slice(0, most - 1).trimEnd()}…` : text);

/** A number of bytes, tokens or events, short. */
export const compact = (number) =>
  Number(number ?? 0).toLocaleString("en", { notation: "compact", maximumFractionDigits: 1 });
