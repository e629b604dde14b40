// The schema as a diagram, and what the file holds.
import { h, fill, grouped, size, throttled } from "./dom.js";
import { get, text, live, address } from "./api.js";

export class SchemaView {
  constructor(app) {
    this.app = app;
    this.facts = h("dl", { class: "facts" });
    this.picture = h("div", { class: "picture", role: "group", "aria-label": "Diagram of the classes" });
    this.counts = h("table", { class: "plain" });
    this.element = h("section", { class: "schema" }, h("header", { class: "heading" }, h("h1", {}, "Schema")), this.facts, this.picture, this.counts);
    this.draw();
    this.update();
    const update = throttled(1000, () => this.update());
    this.close = live({}, {
      begin: event => app.connected(event), lost: error => app.lost(error),
      file: event => { app.didUpdateFile(event); update(); },
    });
  }

  async update() {
    const [file, sizes] = await Promise.all([get("file"), get("sizes")]);
    const rest = Math.max(0, sizes.bytes - sizes.dataBytes);
    fill(this.facts, [["Size", size(sizes.bytes)], ["Objects and indexes", size(sizes.dataBytes)], ["History and free", size(rest)], ["Schema version", file.schemaVersion], ["Commit", grouped(file.commit)]]
      .map(([name, value]) => h("div", {}, h("dt", {}, name), h("dd", {}, value))));
    fill(this.counts, h("caption", {}, sizes.commits === 0 ? "The file has no checkpoint yet, so its classes have no sizes."
      : `Sizes as of the newest checkpoint, after ${grouped(sizes.commits)} commits.`),
      h("thead", {}, h("tr", {}, ["Class", "Objects", "Size", "Properties", "Links"].map(name => h("th", { scope: "col" }, name)))),
      h("tbody", {}, file.classes.map(some => h("tr", {}, h("th", { scope: "row" }, h("a", { href: address(["class", some.name]) }, some.name), some.isEmbedded ? " (embedded)" : ""),
        h("td", { class: "number" }, grouped(some.count)), h("td", { class: "number" }, size(sizes.classes[some.name])), h("td", { class: "number" }, some.properties.length), h("td", { class: "number" }, some.properties.filter(property => property.target).length)))));
  }

  /** Inserts the picture as shapes. Its style sheet is adopted, because the page allows no inline styles. */
  async draw() {
    const source = await text("schema.svg");
    const [start, end] = [source.indexOf("<style>"), source.indexOf("</style>")];
    const sheet = new CSSStyleSheet();
    if (start >= 0) sheet.replaceSync(source.slice(start + 7, end));
    const parsed = new DOMParser().parseFromString(start < 0 ? source : source.slice(0, start) + source.slice(end + 8), "image/svg+xml");
    const picture = parsed.documentElement;
    if (picture.nodeName !== "svg") return;
    for (const script of picture.querySelectorAll("script")) script.remove();
    const names = new Set(this.app.file.classes.map(some => some.name));
    for (const box of picture.querySelectorAll("g.class")) {
      const name = [...box.querySelectorAll("text")].map(some => some.textContent.trim()).find(text => names.has(text));
      if (!name) continue;
      box.setAttribute("tabindex", "0");
      box.setAttribute("role", "link");
      box.setAttribute("aria-label", `Objects of ${name}`);
    }
    const extra = new CSSStyleSheet();
    extra.replaceSync("g.class { cursor: pointer } g.class:focus { outline: 2px solid #4361d8; outline-offset: 2px } .page { fill: transparent !important } svg { max-width: 100%; height: auto }");
    const root = this.picture.attachShadow({ mode: "open" });
    root.adoptedStyleSheets = [sheet, extra];
    root.append(document.importNode(picture, true));
    // Listeners are not imported with nodes.
    const boxes = [...root.querySelectorAll("g.class")];
    for (const box of boxes) {
      const name = box.getAttribute("aria-label")?.replace("Objects of ", "");
      if (!name) continue;
      const open = () => { location.hash = address(["class", name]); };
      box.addEventListener("click", open);
      box.addEventListener("keydown", event => { if (event.key === "Enter") open(); });
    }
  }

  focus() {}
  end() { this.close(); }
}
