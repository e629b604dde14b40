// The page of one object: its values, unfolded, what links to it, and beside it its past. It follows the file.
import { h, fill, grouped, size, throttled } from "./dom.js";
import { get, address, Failure } from "./api.js";
import { fillCell, typeText, linkOf, valueText, isAny } from "./values.js";
import { editCell, isEditable } from "./edit.js";
import { valueDialog } from "./long.js";
import { ObjectPast } from "./past.js";

export class ObjectView {
  constructor(app, some, key, at) {
    Object.assign(this, { app, some, key, at });
    this.page = h("div", { class: "subject" });
    this.past = new ObjectPast(app, some, key, at);
    this.element = h("section", { class: "object" }, this.page, this.past.element);
    this.open = new Set();
    this.wholes = new Map();
    this.pictures = new Map();
    this.refresh = throttled(100, () => this.read());
    this.read();
    this.close = app.follow({
      file: event => {
        if (at) return;
        this.refresh();
        this.past.add(event.commits);
      },
    });
  }

  async read() {
    try {
      const object = await get("object", { class: this.some.name, key: this.key, at: this.at });
      if (this.page.querySelector(".editing")) return;
      // What is as before keeps its focus and its scroll bars. Embedded objects and long lists are not all in the answer.
      const text = JSON.stringify(object);
      if (text === this.drawn && !this.page.querySelector(".embedded, .longer")) return;
      this.drawn = text;
      this.draw(object);
    } catch (error) {
      if (!(error instanceof Failure)) return;
      this.drawn = null;
      fill(this.page, this.heading(null), h("p", { class: "empty" }, error.message));
    }
  }

  /** Draws the object again, because an editor was closed. */
  readAgain() {
    this.drawn = null;
    return this.read();
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
    fill(this.page, this.heading(object.label), values, this.backlinks(object.backlinks));
  }

  value(property, value, label) {
    const cell = h("dd", {});
    const link = linkOf(value, property);
    if (property.collection) {
      const edit = this.app.canEdit({ at: this.at }) && isEditable(property)
        ? h("button", { class: "quiet small", onclick: () => this.editLong(property, value) }, "Edit") : null;
      const details = h("details", { class: "unfold" }, h("summary", {}, h("span", { class: "count" }, grouped(value.count)), " ", valueText({ ...value, first: value.first.slice(0, 6) }, property)), this.list(property, value));
      const id = `${this.some.name} ${this.key} ${property.name}`;
      details.open = this.open.has(id) || (value.count > 0 && value.count <= 12);
      details.addEventListener("toggle", () => { if (details.open) this.open.add(id); else this.open.delete(id); });
      fill(cell, value.count === 0 ? h("span", { class: "nil" }, "empty") : details, edit);
      return cell;
    }
    const text = h("div", { class: "cell value" });
    this.fill(text, value, property, label);
    cell.append(text);
    if (property.ownsTarget && link) cell.append(this.embedded(link));
    else if (value !== null && typeof value === "object" && value.type && value.value && typeof value.value === "object" && "first" in value.value) {
      fill(text, h("span", { class: "tag" }, value.type));
      cell.append(this.tree(value));
      if (this.app.canEdit({ at: this.at })) cell.append(h("button", { class: "quiet small", onclick: () => this.editLong(property, value) }, "Edit"));
    } else if (this.app.canEdit({ at: this.at }) && isEditable(property)) {
      const begin = () => editCell(this.app, text, this.some, this.key, property, value, () => this.readAgain());
      text.tabIndex = 0;
      text.classList.add("editable");
      text.addEventListener("dblclick", begin);
      text.addEventListener("keydown", event => { if (event.key === "Enter" && event.target === text) { event.preventDefault(); begin(); } });
    }
    const forms = this.forms(property, isAny(property) && value?.type ? value.value : value);
    if (forms) cell.append(forms);
    return cell;
  }

  /** Fills a cell, in which there is room for the label of a link and for its key. */
  fill(cell, value, property, label = undefined) {
    fillCell(cell, value, property, this.at);
    if (cell.title === cell.textContent) cell.removeAttribute("title");
    const link = linkOf(value, property);
    const rest = link?.label ? `${link.class} ${link.key}` : link ? label : null;
    if (rest) cell.append(h("span", { class: "label" }, rest));
  }

  editLong(property, value) {
    valueDialog(this.app, this.some, this.key, property, value, () => this.readAgain());
  }

  // Other forms of a value

  /** Returns a text as indented JSON, or data as a picture or as digits; null for other values. */
  forms(property, value) {
    if (value === null || value === undefined) return null;
    const start = typeof value === "string" ? value : value.cut;
    if (typeof start === "string") {
      if (start.length <= longText || !/^\s*[[{]/.test(start) || (start === value && !isJSON(start))) return null;
      return this.part(`json ${property.name}`, "as JSON", () => this.whole(property, value),
        text => isJSON(text) ? h("pre", {}, indented(text)) : hint("This is no JSON."));
    }
    if (typeof value.hex !== "string" || value.hex === "") return null;
    const type = pictureType(value.hex);
    if (type) return this.picture(property, value, type);
    if (value.hex.length <= 16) return null;
    return this.part(`hex ${property.name}`, "as hexadecimal digits", () => value.hex, hex => [
      h("pre", {}, hex.replace(/(..)(?=.)/g, "$1 ").replace(/.{48}/g, line => line.trimEnd() + "\n")),
      hex.length < value.size * 2 ? hint(`The first ${grouped(hex.length / 2)} bytes.`) : null,
    ]);
  }

  /** Returns a part that is filled when it is unfolded, and stays unfolded when the page is drawn again. */
  part(name, title, read, show) {
    const id = `${this.some.name} ${this.key} ${name}`;
    const content = h("div", {});
    const details = h("details", { class: "unfold part" }, h("summary", {}, title), content);
    const load = async () => {
      try {
        // What is known is shown at once, so that the page keeps its height.
        const known = read();
        fill(content, show(known instanceof Promise ? await known : known));
      } catch (error) { fill(content, hint(error.message)); }
    };
    details.addEventListener("toggle", () => {
      if (details.open) this.open.add(id); else this.open.delete(id);
      if (details.open && !content.hasChildNodes()) load();
    });
    if (this.open.has(id)) {
      details.open = true;
      load();
    }
    return details;
  }

  /** Returns a text or the digits of data, or a promise of them if the page knows only their beginning. */
  whole(property, value) {
    if (typeof value === "string") return value;
    if (value.hex?.length === value.size * 2) return value.hex;
    const id = `${this.some.name} ${this.key} ${property.name} ${value.hash}`;
    if (!this.wholes.has(id)) {
      const read = async () => {
        const answer = await get("value", { class: this.some.name, key: this.key, property: property.name, at: this.at });
        const exact = answer.value ?? (answer.lines ? JSON.parse(answer.lines[0]).value : undefined);
        if (exact === undefined) throw new Error(`${size(answer.size)}, which is too large to be shown here.`);
        return typeof exact === "string" ? exact : exact.hex;
      };
      this.wholes.clear();
      this.wholes.set(id, read());
    }
    return this.wholes.get(id);
  }

  /** Returns a preview of data that begins like a picture. */
  picture(property, value, type) {
    const figure = h("figure", { class: "preview" });
    const id = `${this.some.name} ${this.key} ${property.name}`;
    const version = value.hash ?? value.hex;
    const show = url => fill(figure, h("img", {
      src: url, alt: `Picture in ${property.name}`, onerror: () => fill(figure, hint("It begins like a picture, but the browser cannot show it.")),
    }));
    const known = this.pictures.get(id);
    if (known?.version === version) {
      show(known.url);
      return figure;
    }
    const load = async () => {
      try {
        const bytes = Uint8Array.from((await this.whole(property, value)).match(/../g), pair => parseInt(pair, 16));
        const url = URL.createObjectURL(new Blob([bytes], { type }));
        if (this.pictures.has(id)) URL.revokeObjectURL(this.pictures.get(id).url);
        this.pictures.set(id, { version, url });
        show(url);
      } catch (error) { fill(figure, hint(error.message)); }
    };
    load();
    return figure;
  }

  list(property, value) {
    const inner = { ...property, collection: null };
    const list = h("ol", { class: "elements", start: 0 });
    const add = elements => {
      for (const element of elements) {
        const isMap = property.collection === "dictionary";
        const [key, some] = isMap ? element : [null, element];
        const cell = h("span", { class: "cell value" });
        this.fill(cell, some, inner);
        const link = linkOf(some, inner);
        list.append(h("li", {}, isMap ? h("span", { class: "map-key" }, key) : null, cell, property.ownsTarget && link ? this.embedded(link) : null));
      }
    };
    add(value.first);
    const more = h("button", { class: "quiet small", onclick: async () => {
      const page = await get("elements", { class: this.some.name, key: this.key, property: property.name, offset: list.children.length, count: 200, at: this.at });
      add(page.first);
      list.classList.add("longer");
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
        const view = Object.assign(Object.create(ObjectView.prototype), {
          app: this.app, some, key: link.key, at: this.at, open: this.open, wholes: this.wholes, pictures: this.pictures, readAgain: () => this.readAgain(),
        });
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
      this.fill(cell, value, inner);
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

  end() {
    this.close();
    this.past.end();
    for (const { url } of this.pictures.values()) URL.revokeObjectURL(url);
  }
}

/** Texts that are longer are offered as JSON if they are that. */
const longText = 24;

function hint(text) { return h("p", { class: "hint" }, text); }

function isJSON(text) {
  try { JSON.parse(text); } catch { return false; }
  return true;
}

/** Returns a text of JSON with a line for each member. Its numbers and strings stay as they are written: parsing would round and change them. */
function indented(json) {
  const tokens = json.match(/"[^"\\]*(?:\\.[^"\\]*)*"|[^\s"[\]{},:]+|[[\]{},:]/g) ?? [];
  let [text, depth] = ["", 0];
  // Texts that are nested deeply would become much longer by their spaces.
  const line = () => "\n" + "  ".repeat(Math.min(depth, 40));
  tokens.forEach((token, index) => {
    const isEmpty = /^[[{]$/.test(tokens[index - 1] ?? "");
    if (token === "]" || token === "}") {
      depth -= 1;
      text += isEmpty ? token : line() + token;
    } else {
      text += (isEmpty ? line() : "") + token;
      if (token === "{" || token === "[") depth += 1;
      if (token === ",") text += line();
      if (token === ":") text += " ";
    }
  });
  return text;
}

/** Returns the type of a picture by its first bytes; null for other data. SVG is none of them, because it can hold scripts. */
function pictureType(hex) {
  if (hex.startsWith("89504e470d0a1a0a")) return "image/png";
  if (hex.startsWith("ffd8ff")) return "image/jpeg";
  if (/^474946383[79]61/.test(hex)) return "image/gif";
  return /^52494646.{8}57454250/.test(hex) ? "image/webp" : null;
}
