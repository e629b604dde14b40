// The page of one object: its values, unfolded, and what links to it. It follows the file.
import { h, fill, grouped, throttled } from "./dom.js";
import { get, live, address, Failure } from "./api.js";
import { fillCell, typeText, linkOf, valueText } from "./values.js";
import { editCell, isEditable } from "./edit.js";
import { valueDialog } from "./long.js";

export class ObjectView {
  constructor(app, some, key, at) {
    Object.assign(this, { app, some, key, at });
    this.element = h("section", { class: "object" });
    this.open = new Set();
    this.refresh = throttled(100, () => this.read());
    this.read();
    this.close = live({}, {
      begin: event => app.connected(event),
      file: event => { app.didUpdateFile(event); if (!at) this.refresh(); },
      lost: error => app.lost(error),
    });
  }

  async read() {
    try {
      const object = await get("object", { class: this.some.name, key: this.key, at: this.at });
      if (!this.element.querySelector(".editing")) this.draw(object);
    } catch (error) {
      if (!(error instanceof Failure)) return;
      fill(this.element, this.heading(null), h("p", { class: "empty" }, error.message));
    }
  }

  heading(label) {
    return h("header", { class: "heading" },
      h("p", { class: "crumbs" }, h("a", { href: address(["class", this.some.name], { at: this.at }) }, this.some.name), this.at ? ` at commit ${this.at}` : ""),
      h("h1", {}, label ?? `${this.some.name} ${this.key}`, h("span", { class: "key" }, `#${this.key}`)));
  }

  draw(object) {
    const values = h("dl", { class: "values" });
    for (const property of this.some.properties) {
      const value = object.values[property.name];
      values.append(h("dt", {}, property.isPrimaryKey ? h("span", { class: "mark", "aria-label": "primary key" }, "◆") : null, property.name, h("small", {}, typeText(property))),
        this.value(property, value, object.labels[property.name]));
    }
    fill(this.element, this.heading(object.label), values, this.backlinks(object.backlinks));
  }

  value(property, value, label) {
    const cell = h("dd", {});
    const link = linkOf(value, property);
    if (property.collection) {
      const edit = this.app.canEdit({ at: this.at }) && isEditable(property)
        ? h("button", { class: "quiet small", onclick: () => this.editLong(property, value) }, "Edit") : null;
      const details = h("details", { class: "unfold" }, h("summary", {}, h("span", { class: "count" }, grouped(value.count)), " ", valueText({ ...value, first: value.first.slice(0, 6) }, property)), this.list(property, value));
      details.open = this.open.has(property.name) || (value.count > 0 && value.count <= 12);
      details.addEventListener("toggle", () => { if (details.open) this.open.add(property.name); else this.open.delete(property.name); });
      fill(cell, value.count === 0 ? h("span", { class: "nil" }, "empty") : details, edit);
      return cell;
    }
    const text = h("div", { class: "cell value" });
    fillCell(text, value, property, this.at);
    text.removeAttribute("title");
    if (link && label) text.append(h("span", { class: "label" }, label));
    cell.append(text);
    if (property.ownsTarget && link) cell.append(this.embedded(link));
    else if (value !== null && typeof value === "object" && value.type && value.value && typeof value.value === "object" && "first" in value.value) {
      fill(text, h("span", { class: "tag" }, value.type));
      cell.append(this.tree(value));
      if (this.app.canEdit({ at: this.at })) cell.append(h("button", { class: "quiet small", onclick: () => this.editLong(property, value) }, "Edit"));
    } else if (this.app.canEdit({ at: this.at }) && isEditable(property)) {
      const begin = () => editCell(this.app, text, this.some, this.key, property, value, () => this.read());
      text.tabIndex = 0;
      text.classList.add("editable");
      text.addEventListener("dblclick", begin);
      text.addEventListener("keydown", event => { if (event.key === "Enter" && event.target === text) { event.preventDefault(); begin(); } });
    }
    return cell;
  }

  editLong(property, value) {
    valueDialog(this.app, this.some, this.key, property, value, () => this.read());
  }

  list(property, value) {
    const inner = { ...property, collection: null };
    const list = h("ol", { class: "elements", start: 0 });
    const add = elements => {
      for (const element of elements) {
        const isMap = property.collection === "dictionary";
        const [key, some] = isMap ? element : [null, element];
        const cell = h("span", { class: "cell value" });
        fillCell(cell, some, inner, this.at);
        const link = linkOf(some, inner);
        list.append(h("li", {}, isMap ? h("span", { class: "map-key" }, key) : null, cell, property.ownsTarget && link ? this.embedded(link) : null));
      }
    };
    add(value.first);
    const more = h("button", { class: "quiet small", onclick: async () => {
      const page = await get("elements", { class: this.some.name, key: this.key, property: property.name, offset: list.children.length, count: 200, at: this.at });
      add(page.first);
      more.hidden = list.children.length >= page.count;
    } }, "Show more");
    more.hidden = value.first.length >= value.count;
    return h("div", {}, list, more);
  }

  embedded(link) {
    const body = h("div", { class: "embedded" });
    const some = this.app.classNamed(link.class);
    const load = async () => {
      try {
        const object = await get("object", { class: link.class, key: link.key, at: this.at });
        const view = Object.assign(Object.create(ObjectView.prototype), { app: this.app, some, key: link.key, at: this.at, open: new Set(), read: () => this.read() });
        fill(body, h("dl", { class: "values" }, some.properties.map(property => [
          h("dt", {}, property.name, h("small", {}, typeText(property))), view.value(property, object.values[property.name], object.labels[property.name])])));
      } catch (error) { fill(body, error.message); }
    };
    load();
    return body;
  }

  /** Returns a list or dictionary within a value of type any. */
  tree(value) {
    const inner = { type: "any" };
    if (value === null || !value.type || typeof value.value !== "object" || !("first" in value.value)) {
      const cell = h("span", { class: "cell value" });
      fillCell(cell, value, inner, this.at);
      return cell;
    }
    const entries = value.value.first.map(element => value.type === "dictionary"
      ? h("li", {}, h("span", { class: "map-key" }, element[0]), this.tree(element[1])) : h("li", {}, this.tree(element)));
    return h("ol", { class: "elements", start: 0 }, entries);
  }

  backlinks(origins) {
    if (origins.length === 0) return h("p", { class: "hint linked" }, "Nothing links to this object.");
    return h("section", { class: "backlinks" }, h("h2", {}, "What links here"), origins.map(origin =>
      h("div", {}, h("h3", {}, `${origin.class}.${origin.property}`, h("span", { class: "count" }, grouped(origin.count))),
        h("p", { class: "chips" }, origin.objects.map(object => h("a", { class: "chip", href: address(["object", origin.class, object.key], { at: this.at }) },
          `${origin.class} ${object.key}`, object.label ? h("span", { class: "label" }, object.label) : null)),
        origin.count > origin.objects.length ? ` and ${grouped(origin.count - origin.objects.length)} more` : null))));
  }

  focus() {}
  end() { this.close(); }
}
