// The shell: who is signed in, navigation, and the page for the address.
import { Component, html, render, useCallback, useEffect, useRef, useState } from "./parts/base.js";
import { signIn, signOut, whoAmI } from "./parts/api.js";
import { KeyList, keepTyped, moveFocus, startKeys, useKeys } from "./parts/keys.js";
import { go, link, useRoute } from "./parts/route.js";
import { Announcements, Failure, Field, Loading, WriteFailure } from "./parts/ui.js";

// A page is loaded when it is first opened.
const PAGES = {
  overview: () => import("./pages/overview.js"),
  timeline: () => import("./pages/timeline.js"),
  search: () => import("./pages/search.js"),
  memory: () => import("./pages/memory.js"),
  causes: () => import("./pages/causes.js"),
  files: () => import("./pages/files.js"),
  chapters: () => import("./pages/chapters.js"),
  chapter: () => import("./pages/chapters.js"),
  wisdom: () => import("./pages/chapters.js"),
  notes: () => import("./pages/notes.js"),
  rules: () => import("./pages/rules.js"),
  facts: () => import("./pages/rules.js"),
  sessions: () => import("./pages/sessions.js"),
  session: () => import("./pages/sessions.js"),
  review: () => import("./pages/review.js"),
  stale: () => import("./pages/stale.js"),
  sync: () => import("./pages/upkeep.js"),
  settings: () => import("./pages/upkeep.js"),
  health: () => import("./pages/upkeep.js"),
  trash: () => import("./pages/upkeep.js"),
};

const NAVIGATION = [
  ["", [["overview", "Overview"], ["timeline", "Timeline"], ["search", "Search"], ["files", "Files"]]],
  ["Knowledge", [["chapters", "Chapters"], ["notes", "Notes"], ["rules", "Rules"], ["facts", "Facts"]]],
  ["Work", [["sessions", "Sessions"], ["review", "Review"], ["stale", "Stale"]]],
  ["Upkeep", [["sync", "Sync and team"], ["settings", "Settings"], ["health", "Health"], ["trash", "Trash"]]],
];
const PARENT = { memory: "timeline", causes: "timeline", chapter: "chapters", wisdom: "chapters", session: "sessions" };

class Boundary extends Component {
  componentDidCatch(error) {
    console.error(error);
    this.setState({ error });
  }

  render({ children }, { error }) {
    return error ? html`<${Failure} error=${new Error(`This page has a fault: ${error.message}`)} retry=${() => this.setState({ error: null })} />` : children;
  }
}

function App() {
  const [me, setMe] = useState(null);
  const [error, setError] = useState(null);
  const load = useCallback(() => {
    setError(null);
    whoAmI().then(setMe, setError);
  }, []);
  useEffect(load, []);
  if (error?.status === 401) return html`<${SignIn} error=${error} onDone=${(who) => (setError(null), setMe(who))} />`;
  if (error) return html`<main class="alone"><h1>RUM</h1><${Failure} error=${error} retry=${load} /></main>`;
  if (!me) return html`<main class="alone"><h1 class="hidden">RUM</h1><${Loading} /></main>`;
  return html`<${Shell} me=${me} onSignOut=${() => signOut().then(() => (setMe(null), load()), setError)} />`;
}

function SignIn({ error, onDone }) {
  const [token, setToken] = useState("");
  const [problem, setProblem] = useState(null);
  const submit = (event) => {
    event.preventDefault();
    signIn(token.trim()).then(onDone, setProblem);
  };
  return html`<main class="alone">
    <h1>RUM</h1>
    ${error.details?.login === "token"
      ? html`<form class="form panel" onSubmit=${submit}>
          <${Field} label="Token" hint="Ask the owner of this server, who creates one with rum tokens create"><input type="password" autocomplete="current-password" required value=${token} onInput=${(event) => setToken(event.target.value)} /><//>
          ${problem && html`<${WriteFailure} error=${problem} />`}
          <p class="buttons"><button type="submit" class="primary">Sign in</button></p>
        </form>`
      : html`<div class="message empty"><strong>Not signed in.</strong><p>Open the address that <code>rum web</code> printed: it has the key to this page. Run <code>rum web</code> again for a new one.</p></div>`}
  </main>`;
}

// Only owners see how the memory is set up and stored; a server of a team has no checkout to compare with.
const isShown = (me, page) =>
  page === "stale" ? me.is_local : me.role === "owner" || !["sessions", "settings", "health"].includes(page);

function Shell({ me, onSignOut }) {
  const route = useRoute();
  const [isMenuOpen, setMenuOpen] = useState(false);
  const [keys, setKeys] = useState(false);
  const main = useRef(null);
  const keepLetters = (event) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey) return; // Another tab
    if (route.page === "search") document.getElementById("question")?.focus();
    else keepTyped();
  };
  useKeys({
    "?": () => setKeys(true),
    "/": () => {
      if (route.page === "search") return document.getElementById("question")?.focus();
      keepTyped();
      go(link("search"));
    },
    j: () => moveFocus(1),
    k: () => moveFocus(-1),
    d: toggleTheme,
    Escape: () => setMenuOpen(false),
  });
  useEffect(() => setMenuOpen(false), [route]);
  return html`<a class="skip" href="#title" onClick=${(event) => (event.preventDefault(), main.current.focus())}>Skip to the content</a>
    <header class="bar">
      <button type="button" class="menu quiet" aria-expanded=${isMenuOpen} aria-controls="navigation" onClick=${() => setMenuOpen(!isMenuOpen)}>Menu</button>
      <a class="brand" href=${link("overview")} aria-label=${`RUM, ${me.project.name}`}><b>RUM</b><span>${me.project.name}</span></a>
      <a class="find" href=${link("search")} onClick=${keepLetters}><span>Search</span> <kbd>/</kbd></a>
      <span class="spacer"></span>
      ${!me.may_write && html`<span class="label">reading only</span>`}
      <button type="button" class="quiet" onClick=${toggleTheme} title="Light or dark (d)">Theme</button>
      <button type="button" class="quiet" onClick=${() => setKeys(true)} title="Keys (?)">Keys</button>
      ${!me.is_local && html`<button type="button" class="quiet" onClick=${onSignOut}>Sign out ${me.name}</button>`}
    </header>
    <nav id="navigation" class=${isMenuOpen ? "navigation open" : "navigation"} aria-label="Pages">
      ${NAVIGATION.map(
        ([title, pages]) => html`<div key=${title}>
          ${title && html`<p>${title}</p>`}
          <ul>
            ${pages.filter(([page]) => isShown(me, page)).map(([page, name]) => html`<li key=${page}><a href=${link(page)} aria-current=${(PARENT[route.page] ?? route.page) === page ? "page" : null}>${name}</a></li>`)}
          </ul>
        </div>`,
      )}
      <p class="version">RUM ${me.version}</p>
    </nav>
    <main ref=${main} tabindex="-1">
      ${(me.warnings ?? []).map((text) => html`<p key=${text} class="message notice">${text}</p>`)}
      <${Boundary} key=${route.page}><${Shown} route=${route} me=${me} /><//>
    </main>
    <${Announcements} />
    ${keys && html`<${KeyList} onClose=${() => setKeys(false)} />`}`;
}

function Shown({ route, me }) {
  const [module, setModule] = useState(null);
  const [error, setError] = useState(null);
  const place = `${route.page}/${route.parts.join("/")}`;
  const isFirst = useRef(true);
  const load = PAGES[route.page];
  useEffect(() => {
    if (!load) return;
    let isOver = false;
    load().then(
      (found) => isOver || setModule({ found, page: route.page }),
      () => isOver || setError(new Error("This part of the page could not be loaded. Is the server still running?")),
    );
    return () => {
      isOver = true;
    };
  }, [route.page]);
  const ready = module?.page === route.page;
  useEffect(() => {
    if (!ready) return;
    document.title = `${module.found.title(route)} · ${me.project.name} · RUM`;
    if (isFirst.current) isFirst.current = false;
    else {
      scrollTo(0, 0);
      // Screen readers begin at the new page; a field that took the focus keeps it.
      if (!document.activeElement?.closest("main")) document.querySelector("main")?.focus({ preventScroll: true });
    }
  }, [place, ready]);
  useEffect(() => {
    if (ready || !load) document.querySelector("main").dataset.route = location.hash;
  }, [route, ready]);
  if (!load) return html`<h1>Not found</h1><p>There is no page “${route.page}”. <a href=${link("overview")}>Go to the overview</a>.</p>`;
  if (error) return html`<${Failure} error=${error} retry=${() => location.reload()} />`;
  return ready ? html`<${module.found.Page} route=${route} me=${me} />` : html`<${Loading} />`;
}

function toggleTheme() {
  const root = document.documentElement;
  const isDark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  root.dataset.theme = isDark ? "light" : "dark";
  try {
    localStorage.setItem("rum.theme", root.dataset.theme);
  } catch {
    // Without storage it holds until the page is closed.
  }
  dispatchEvent(new Event("rum:theme"));
}

startKeys();
render(html`<${App} />`, document.getElementById("app"));
