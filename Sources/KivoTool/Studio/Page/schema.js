// The schema as a diagram, and what the file holds.
import { h, fill, grouped, size, throttled } from "./dom.js";
import { get, text, address } from "./api.js";

/** The factor of a step of zooming, and the limits of the scale. */
const [step, least, most] = [1.25, 0.05, 8];

export class SchemaView {
  constructor(app) {
    this.app = app;
    this.facts = h("dl", { class: "facts" });
    this.picture = h("div", {
      class: "picture", role: "group", tabindex: 0, "aria-label": "Diagram of the classes", "aria-keyshortcuts": "+ -",
      onpointerdown: event => this.pointerDown(event), onpointermove: event => this.pointerMove(event),
      onpointerup: event => this.pointerUp(event), onpointercancel: event => this.pointerUp(event),
    });
    // The page itself would be zoomed otherwise, so the listener must not be passive.
    this.picture.addEventListener("wheel", event => this.wheel(event), { passive: false });
    this.picture.addEventListener("click", event => {
      if (this.hasMoved) event.stopPropagation();
      this.hasMoved = false;
    }, { capture: true });
    // Two fingers zoom the picture; otherwise the browser would scroll.
    const touch = event => { if (event.touches.length > 1) event.preventDefault(); };
    for (const name of ["touchstart", "touchmove"]) this.picture.addEventListener(name, touch, { passive: false });
    this.percent = h("span", { class: "percent", role: "status" });
    const button = (text, label, action) => h("button", { class: "quiet small", "aria-label": label, onclick: action }, text);
    this.zoomBar = h("div", { class: "zoom", role: "group", "aria-label": "Zoom", hidden: true }, button("−", "Zoom out", () => this.zoomBy(1 / step)),
      button("+", "Zoom in", () => this.zoomBy(step)), button("Fit", "Fit to the width", () => this.zoomTo(null)), this.percent);
    /** The scale; null if the picture fits into the width. */
    this.scale = null;
    this.pointers = new Map();
    this.counts = h("table", { class: "plain" });
    this.element = h("section", { class: "schema", onkeydown: event => this.keyDown(event) }, h("header", { class: "heading" }, h("h1", {}, "Schema")), this.facts, this.zoomBar, this.picture, this.counts);
    this.observer = new ResizeObserver(() => this.showScale());
    this.observer.observe(this.picture);
    this.draw();
    this.update();
    this.close = app.follow({ file: throttled(1000, () => this.update()) });
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
    extra.replaceSync("g.class { cursor: pointer } g.class:focus { outline: 2px solid #4361d8; outline-offset: 2px } .page { fill: transparent !important } svg { display: block; height: auto; -webkit-user-select: none; user-select: none }");
    const root = this.picture.attachShadow({ mode: "open" });
    root.adoptedStyleSheets = [sheet, extra];
    this.drawing = root.appendChild(document.importNode(picture, true));
    this.width = Number(picture.getAttribute("width")) || 1000;
    this.zoomBar.hidden = false;
    this.showScale();
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

  // Zooming

  /** The width into which the picture fits. */
  get room() {
    const style = getComputedStyle(this.picture);
    return this.picture.clientWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight);
  }

  /** The scale in which the picture is shown. */
  get shownScale() { return this.scale ?? Math.min(1, this.room / this.width); }

  showScale() {
    if (!this.drawing) return;
    const scale = this.shownScale;
    this.drawing.style.width = `${this.width * scale}px`;
    this.percent.textContent = `${Math.round(scale * 100)} %`;
    this.picture.classList.toggle("zoomed", this.scale !== null);
  }

  /** Zooms to a scale, or fits the picture into the width. What is at a point of the window stays there; by default the middle. */
  zoomTo(scale, x = undefined, y = undefined) {
    if (!this.drawing) return;
    const box = this.picture.getBoundingClientRect();
    const [left, top] = [(x ?? box.left + box.width / 2) - box.left, (y ?? box.top + box.height / 2) - box.top];
    const before = this.shownScale;
    this.scale = scale === null ? null : Math.max(least, Math.min(most, scale));
    this.showScale();
    const factor = this.shownScale / before;
    this.picture.scrollLeft = (this.picture.scrollLeft + left) * factor - left;
    this.picture.scrollTop = (this.picture.scrollTop + top) * factor - top;
  }

  zoomBy(factor, x = undefined, y = undefined) { this.zoomTo(this.shownScale * factor, x, y); }

  /** Zooms by the wheel with Ctrl, which is also what browsers report of two fingers on a touchpad. */
  wheel(event) {
    if (!event.ctrlKey) return;
    event.preventDefault();
    const lines = event.deltaMode === 1 ? 16 : 1;
    this.zoomBy(Math.exp(-Math.max(-100, Math.min(100, event.deltaY * lines)) / 200), event.clientX, event.clientY);
  }

  keyDown(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const actions = { "+": () => this.zoomBy(step), "=": () => this.zoomBy(step), "-": () => this.zoomBy(1 / step), "0": () => this.zoomTo(null) };
    if (!actions[event.key]) return;
    event.preventDefault();
    actions[event.key]();
  }

  /** Begins to move the picture by one pointer, or to zoom it by two. */
  pointerDown(event) {
    if (event.button !== 0) return;
    if (this.pointers.size === 0) this.hasMoved = false;
    this.pointers.set(event.pointerId, { x: event.clientX, y: event.clientY });
    this.beginning = { x: event.clientX, y: event.clientY };
  }

  pointerMove(event) {
    const last = this.pointers.get(event.pointerId);
    if (!last) return;
    // The button may have been released outside.
    if (event.buttons === 0) return this.pointerUp(event);
    const now = { x: event.clientX, y: event.clientY };
    const other = [...this.pointers].find(([id]) => id !== event.pointerId)?.[1];
    if (other) {
      this.hasMoved = true;
      const distance = point => Math.hypot(point.x - other.x, point.y - other.y);
      if (distance(last) > 0) this.zoomBy(distance(now) / distance(last), (now.x + other.x) / 2, (now.y + other.y) / 2);
    } else if (this.scale !== null && event.pointerType !== "touch") {
      // A finger scrolls by itself.
      const isClick = !this.hasMoved && Math.hypot(now.x - this.beginning.x, now.y - this.beginning.y) < 5;
      if (isClick) return;
      if (!this.hasMoved) this.picture.setPointerCapture(event.pointerId);
      this.hasMoved = true;
      this.picture.scrollLeft -= now.x - last.x;
      this.picture.scrollTop -= now.y - last.y;
    }
    this.pointers.set(event.pointerId, now);
  }

  pointerUp(event) { this.pointers.delete(event.pointerId); }

  focus() {}

  end() {
    this.close();
    this.observer.disconnect();
  }
}
