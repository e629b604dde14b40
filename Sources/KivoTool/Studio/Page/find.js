// What was found by words in the objects of all classes.
import { h, fill } from "./dom.js";
import { get, address } from "./api.js";

export class FindView {
  constructor(app, text) {
    Object.assign(this, { app, text });
    this.list = h("div", { "aria-live": "polite" }, h("p", { class: "hint" }, "Searching …"));
    this.input = h("input", { class: "predicate", type: "search", "aria-label": "Words", placeholder: "Words in any property of any object", spellcheck: "false" });
    this.input.value = text;
    this.element = h("section", { class: "history" }, h("header", { class: "heading" }, h("h1", {}, "Find")),
      h("form", { class: "field finding", onsubmit: event => { event.preventDefault(); location.hash = address(["find"], { text: this.input.value.trim() }); } }, this.input), this.list);
    this.close = app.follow();
    this.find();
  }

  async find() {
    if (!this.text) return fill(this.list, h("p", { class: "hint" }, "Objects that have each of the words, in a text or as a number."));
    this.request = new AbortController();
    try {
      const found = await get("find", { text: this.text }, this.request.signal);
      fill(this.list, found.classes.length === 0 ? h("p", { class: "hint" }, "No object has these words.") : found.classes.map(some => this.group(some)));
    } catch (error) { if (error.name !== "AbortError") fill(this.list, h("p", { class: "hint" }, error.message)); }
  }

  group(some) {
    return h("section", { class: "backlinks" }, h("h2", {}, some.name),
      h("p", { class: "chips" }, some.objects.map(object => h("a", { class: "chip", href: address(["object", some.name, object.key]) },
        `${some.name} ${object.key}`, object.label ? h("span", { class: "label" }, object.label) : null)),
      h("a", { href: address(["class", some.name], { find: this.text }) }, some.hasMore ? "and more: show all" : "show as a table")));
  }

  focus() { this.input.focus(); }

  end() {
    this.close();
    this.request?.abort();
  }
}
