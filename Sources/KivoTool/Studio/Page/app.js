// The page: which view is shown, the classes beside it, and the state of the connection.
import { h, fill, grouped, size, toast, announce } from "./dom.js";
import { get, begin, live, place, address, whenOpenedElsewhere, Failure } from "./api.js";
import { TableView } from "./table.js";
import { ObjectView } from "./object.js";
import { HistoryView } from "./history.js";
import { FindView } from "./find.js";
import { SchemaView } from "./schema.js";
import { undo } from "./edit.js";
import { drawFile } from "./files.js";
import { zoneName } from "./values.js";

const main = document.getElementById("main");
const side = document.getElementById("side");
const pulse = document.getElementById("pulse");
const pulseText = document.getElementById("pulse-text");
/** With more classes, they can be filtered. */
const largestClassList = 12;

class App {
  constructor() {
    this.file = null;
    this.view = null;
    this.counts = new Map();
    this.frames = 0;
    this.beats = [];
    document.getElementById("undo").addEventListener("click", () => undo(this));
    document.getElementById("redo").addEventListener("click", () => undo(this, true));
    document.getElementById("menu").addEventListener("click", () => this.toggleMenu());
    addEventListener("hashchange", () => { if (tokenOfAddress()) this.start(); else this.show(); });
    // The page was opened anew, because the program was started again.
    whenOpenedElsewhere(() => { if (this.isClosed) location.reload(); });
    addEventListener("keydown", event => this.keyDown(event));
    setInterval(() => this.slowDown(), 1000);
  }

  async start() {
    try {
      const token = tokenOfAddress();
      if (token) {
        history.replaceState(null, "", "#/");
        await begin(token);
      }
      this.file = await get("file");
    } catch (error) { return this.lost(error); }
    this.isClosed = false;
    const name = this.file.path.split("/").at(-1);
    document.title = `${name} · Kivo Studio`;
    drawFile(document.getElementById("file"), this.file);
    this.drawSide();
    this.show();
  }

  classNamed(name) { return this.file.classes.find(some => some.name === name); }
  canEdit(state) { return this.file.isWritable && !state.at; }

  /**
   * Follows the file, or with parameters a table of it. The page does what it has to do at each event, then `handlers` theirs. Returns a
   * function that ends it.
   */
  follow(handlers = {}, parameters = {}) {
    return live(parameters, {
      lost: error => this.lost(error), ...handlers,
      begin: event => { this.connected(event); handlers.begin?.(event); },
      file: event => { this.didUpdateFile(event); handlers.file?.(event); },
    });
  }

  // Places

  async show() {
    if (!this.file) return;
    const hash = location.hash;
    const { path: [kind, ...rest], parameters } = place();
    // At an old commit, a class may have had other properties.
    const then = parameters.at && rest[0] ? await get("class", { class: rest[0], at: parameters.at }).catch(error => message(error.message)) : null;
    if (location.hash !== hash) return;
    this.view?.end();
    side.classList.remove("open");
    document.getElementById("menu").setAttribute("aria-expanded", "false");
    const some = rest[0] === undefined ? null : then ?? this.classNamed(rest[0]);
    if (some?.element) this.view = some;
    else if (kind === "class" && some) this.view = new TableView(this, some, parameters);
    else if (kind === "object" && some) this.view = new ObjectView(this, some, Number(rest[1]), parameters.at);
    else if (kind === "history") this.view = new HistoryView(this);
    else if (kind === "schema") this.view = new SchemaView(this);
    else if (kind === "find") this.view = new FindView(this, parameters.text ?? "");
    else if ((kind === "class" || kind === "object") && !some) this.view = message(`The file has no class “${rest[0]}”.`);
    else {
      const first = this.file.classes.filter(some => !some.isEmbedded).sort((a, b) => b.count - a.count)[0];
      if (first) { history.replaceState(null, "", address(["class", first.name])); return this.show(); }
      this.view = new EmptyFileView(this);
    }
    fill(main, this.view.element);
    this.current = { kind, name: rest[0] };
    this.markCurrent();
    if (!document.activeElement?.closest("#side, .top") || document.activeElement === document.body) this.view.focus();
  }

  drawSide() {
    const tabs = [["class", "Data", "#/"], ["find", "Find", "#/find"], ["history", "History", "#/history"], ["schema", "Schema", "#/schema"]];
    fill(document.getElementById("tabs"), tabs.map(([kind, text, href]) => h("a", { href, "data-kind": kind }, text)));
    const item = some => {
      const count = h("span", { class: "count" }, grouped(this.counts.get(some.name) ?? some.count));
      this.counters ??= new Map();
      this.counters.set(some.name, count);
      return h("a", { href: address(["class", some.name]), "data-name": some.name }, h("span", { class: "name" }, some.name), count);
    };
    const own = this.file.classes.filter(some => !some.isEmbedded);
    const embedded = this.file.classes.filter(some => some.isEmbedded);
    const list = h("div", { id: "classes" }, h("h2", {}, "Classes"), own.map(item), embedded.length ? [h("h2", {}, "Embedded"), embedded.map(item)] : null,
      h("p", { class: "side-none", hidden: true }, "No class has this in its name."));
    const hadFocus = document.activeElement === this.classFilter;
    this.classFilter ??= this.makeClassFilter();
    const isLong = this.file.classes.length > largestClassList;
    if (!isLong) this.classFilter.value = "";
    fill(side, isLong ? this.classFilter : null, list, h("p", { class: "side-foot", id: "size" }, size(this.file.bytes)),
      h("p", { class: "side-foot" }, `Times in ${zoneName()}`));
    if (hadFocus && isLong) this.classFilter.focus();
    this.filterClasses();
  }

  makeClassFilter() {
    return h("input", {
      type: "search", class: "class-filter", placeholder: "Filter", "aria-label": "Filter the classes by name", "aria-controls": "classes", spellcheck: "false", autocomplete: "off",
      oninput: () => announce(`${this.filterClasses().length} classes`),
      onkeydown: event => {
        if (event.key === "Enter") {
          const first = this.filterClasses()[0];
          if (first) { this.classFilter.blur(); location.hash = first.hash; }
        }
        if (event.key === "ArrowDown") { event.preventDefault(); this.filterClasses()[0]?.focus(); }
        // The first Escape clears the filter, the next one closes the menu.
        if (event.key !== "Escape" || this.classFilter.value === "") return;
        event.preventDefault();
        event.stopPropagation();
        this.classFilter.value = "";
        this.filterClasses();
      },
    });
  }

  /** Hides the classes without the filter's text in their names. Returns the links of the others. */
  filterClasses() {
    const text = this.classFilter.value.trim().toLowerCase();
    const links = [...side.querySelectorAll("a")];
    for (const link of links) link.hidden = !link.dataset.name.toLowerCase().includes(text);
    // A heading without classes below it says nothing.
    for (const heading of side.querySelectorAll("h2")) {
      let next = heading.nextElementSibling;
      while (next?.matches("a") && next.hidden) next = next.nextElementSibling;
      heading.hidden = text !== "" && !next?.matches("a");
    }
    const shown = links.filter(link => !link.hidden);
    side.querySelector(".side-none").hidden = text === "" || shown.length > 0;
    return shown;
  }

  markCurrent() {
    const { kind, name } = this.current;
    for (const link of side.querySelectorAll("a")) {
      if (link.dataset.name === name && kind) link.setAttribute("aria-current", "page"); else link.removeAttribute("aria-current");
    }
    for (const link of document.querySelectorAll("#tabs a")) {
      const isCurrent = link.dataset.kind === (kind === "object" || !kind ? "class" : kind);
      if (isCurrent) link.setAttribute("aria-current", "page"); else link.removeAttribute("aria-current");
    }
  }

  toggleMenu() {
    const isOpen = side.classList.toggle("open");
    document.getElementById("menu").setAttribute("aria-expanded", String(isOpen));
    if (isOpen) side.querySelector("a:not([hidden])")?.focus();
  }

  keyDown(event) {
    const isWriting = event.target.closest?.("input, textarea, select, dialog");
    if (event.key === "/" && !isWriting && this.view?.focusFilter) { event.preventDefault(); this.view.focusFilter(); }
    const does = { z: event.shiftKey ? "redo" : "undo", y: "redo" }[event.key.toLowerCase()];
    if (does && (event.ctrlKey || event.metaKey) && !isWriting && this.file?.isWritable) { event.preventDefault(); undo(this, does === "redo"); }
    if (event.key === "Escape" && side.classList.contains("open")) this.toggleMenu();
  }

  // News of the file

  didUpdateFile(event) {
    for (const [name, count] of Object.entries(event.counts)) {
      this.counts.set(name, count);
      const counter = this.counters?.get(name);
      if (counter && counter.textContent !== grouped(count)) counter.textContent = grouped(count);
    }
    if (event.counts && Object.keys(event.counts).length !== this.file.classes.length) this.reload();
    this.isGone = event.isGone;
    const foot = document.getElementById("size");
    if (foot) foot.textContent = size(event.bytes);
    this.beat(event.commit - (this.commit ?? event.commit), event.commit);
  }

  /** Reads the classes again, because there are others. */
  async reload() {
    this.file = await get("file");
    this.drawSide();
    this.markCurrent();
  }

  /** Notes that a stream has begun. One of other classes than the page knows means that the file was replaced or migrated. */
  connected(event) {
    pulse.dataset.state = "live";
    this.lastBeat = 0;
    this.slowDown();
    if (event.generation !== undefined && event.generation !== this.file.generation) this.readAnew("The file was replaced or migrated by another program.");
  }

  /** Reads the classes and what is shown again. */
  async readAnew(message) {
    if (this.isReading) return;
    this.isReading = true;
    try {
      this.file = await get("file");
      this.counts.clear();
      // The commits of another file may have lower numbers.
      this.commit = undefined;
      this.didEdit(0);
      this.drawSide();
      this.show();
      toast(message);
    } finally {
      this.isReading = false;
    }
  }

  /** Notes that there is no connection, or that the server does not know this page. */
  lost(error) {
    pulse.dataset.state = "lost";
    this.isClosed = error instanceof Failure && (error.status === 401 || error.status === 403);
    pulseText.textContent = this.isClosed ? "closed" : "not connected";
    if (!this.file) return fill(main, h("p", { class: "empty" }, error.message));
    if (this.isClosed) toast("kivo studio was started again. Open the address that it printed on the terminal: this page goes on then.", "problem");
  }

  /** Notes that commits have arrived. */
  beat(commits, commit) {
    const number = commit === undefined ? commits : Math.max(0, commit - (this.commit ?? commit));
    if (commit !== undefined) this.commit = Math.max(commit, this.commit ?? 0);
    if (number <= 0) return;
    pulse.dataset.state = "beat";
    this.beats.push([performance.now(), number]);
    this.showRate();
  }

  showRate() {
    const now = performance.now();
    this.beats = this.beats.filter(([time]) => now - time < 1000);
    const rate = this.beats.reduce((sum, [, number]) => sum + number, 0);
    pulseText.textContent = this.isGone ? "file deleted" : rate > 0 ? `${grouped(rate)} commits/s` : "live";
  }

  slowDown() {
    if (pulse.dataset.state === "lost" && !this.isGone) return;
    this.showRate();
    pulse.dataset.state = this.isGone ? "lost" : this.beats.length > 0 ? "beat" : "live";
  }

  didEdit(undoCount, redoCount = 0) {
    for (const [id, name, count] of [["undo", "Undo", undoCount], ["redo", "Redo", redoCount]]) {
      const button = document.getElementById(id);
      button.hidden = count === 0;
      button.textContent = count > 1 ? `${name} (${count})` : name;
    }
  }

  /** Counts frames, for measurements. */
  didDraw() { this.frames += 1; }
}

function tokenOfAddress() { return location.hash.match(/^#token=([0-9a-f]+)$/)?.[1]; }

/** The page of a file without classes, until a program makes some. */
class EmptyFileView {
  constructor(app) {
    const name = app.file.path.split("/").at(-1);
    this.element = h("section", { class: "empty" }, h("p", {}, `${name} has no classes yet.`),
      h("p", {}, "A program that opens it with Kivo makes them, and the objects that it adds: ", h("code", {}, `try Realm(fileURL: URL(fileURLWithPath: "${app.file.path}"))`), "."),
      h("p", {}, "This page follows the file: they appear here."));
    const look = async () => {
      if (this.isReading) return;
      this.isReading = true;
      await app.reload();
      this.isReading = false;
      if (app.file.classes.length > 0 && app.view === this) app.show();
    };
    this.close = app.follow({ begin: look, file: event => { if (Object.keys(event.counts).length > 0) look(); } });
  }

  focus() {}
  end() { this.close(); }
}

function message(text) { return { element: h("p", { class: "empty" }, text), focus() {}, end() {} }; }

const app = new App();
window.studio = app;
addEventListener("unhandledrejection", event => { if (event.reason?.name !== "AbortError") toast(String(event.reason?.message ?? event.reason), "problem"); });
app.start();
