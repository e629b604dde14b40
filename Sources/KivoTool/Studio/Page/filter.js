// The bar for predicates: mistakes where they are, and names of properties as they are written.
import { h, fill, throttled } from "./dom.js";
import { get, Failure } from "./api.js";
import { typeText } from "./values.js";
import { words, conditionWords } from "./words.js";

const condition = new RegExp(`\\b(${conditionWords.join("|")})\\b`, "i");

/** Whether a text is words to find, and no predicate. */
function areWords(text) {
  return /^[\p{L}\p{N}\p{M}\s._@:/+-]+$/u.test(text) && !condition.test(text);
}

/** Returns the name of a property as a predicate spells it. */
function spelled(name) {
  return /^[\p{L}_][\p{L}\p{N}_]*(\.[\p{L}_][\p{L}\p{N}_]*)*$/u.test(name) ? name : `#'${name.replace(/['\\]/g, "\\$&")}'`;
}

export class FilterBar {
  /** `apply` is called with a predicate as `where`, or with words as `find`. */
  constructor(path, some, classes, text, apply) {
    Object.assign(this, { some, classes, apply });
    this.place = `filters ${path} ${some.name}`;
    this.input = h("input", {
      class: "predicate", type: "text", role: "combobox", spellcheck: "false", autocomplete: "off", autocapitalize: "off",
      placeholder: "Words, or a predicate as in  age > 5 AND name BEGINSWITH \"R\"", "aria-label": "Words or a predicate", "aria-expanded": "false", "aria-autocomplete": "list",
      "aria-controls": "completions", "aria-describedby": "mistake",
      oninput: () => this.didWrite(), onkeydown: event => this.keyDown(event), onblur: () => setTimeout(() => this.hide(), 150),
      onfocus: () => { if (this.input.value === "") this.offerKept(); },
      onscroll: () => { this.mirror.scrollLeft = this.input.scrollLeft; },
    });
    this.input.value = text;
    this.mirror = h("div", { class: "mirror", "aria-hidden": "true" });
    this.mistake = h("div", { class: "mistake", id: "mistake", role: "status", hidden: true });
    this.list = h("ul", { class: "completions", id: "completions", role: "listbox", "aria-label": "Names", hidden: true });
    this.clear = h("button", { class: "icon clear", "aria-label": "Clear the predicate", onclick: () => { this.input.value = ""; this.submit(); }, hidden: !text }, "×");
    this.keepButton = h("button", { class: "icon keep", onclick: () => this.keep() });
    this.drawKept();
    this.element = h("div", { class: "filter" }, h("div", { class: "field" }, this.mirror, this.input, this.keepButton, this.clear), this.mistake, this.list);
    this.check = throttled(250, () => this.checkNow());
    this.chosen = -1;
  }

  focus() { this.input.focus(); this.input.select(); }

  submit() {
    this.hide();
    const text = this.input.value.trim();
    this.apply(areWords(text) ? { where: undefined, find: text } : { where: text || undefined, find: undefined });
  }

  // Kept filters

  get kept() { return JSON.parse(localStorage.getItem(this.place) ?? "[]"); }

  /** Keeps the filter, or forgets it if it is kept. */
  keep() {
    const text = this.input.value.trim();
    const kept = this.kept;
    localStorage.setItem(this.place, JSON.stringify(kept.includes(text) ? kept.filter(other => other !== text) : [text, ...kept]));
    this.drawKept();
  }

  drawKept() {
    const text = this.input.value.trim();
    const isKept = this.kept.includes(text);
    this.keepButton.hidden = text === "";
    this.keepButton.textContent = isKept ? "★" : "☆";
    this.keepButton.setAttribute("aria-label", isKept ? "Forget this filter" : "Keep this filter");
    this.keepButton.setAttribute("aria-pressed", String(isKept));
  }

  offerKept() {
    const kept = this.kept.slice(0, 12);
    if (kept.length > 0) this.offer(kept.map(text => ({ text, hint: "kept", isWhole: true })));
  }

  didWrite() {
    this.clear.hidden = this.input.value === "";
    this.drawKept();
    this.showMistake(null);
    this.check();
    this.complete();
  }

  async checkNow() {
    const text = this.input.value;
    if (text.trim() === "" || areWords(text)) return this.showMistake(null);
    this.request?.abort();
    this.request = new AbortController();
    try {
      await get("check", { class: this.some.name, where: text }, this.request.signal);
      this.showMistake(null);
    } catch (error) {
      if (error instanceof Failure && error.status === 422 && text === this.input.value) this.showMistake(error.body);
    }
  }

  /** Shows a mistake below the characters that are wrong; null hides it. */
  showMistake(mistake) {
    this.input.toggleAttribute("data-wrong", Boolean(mistake));
    this.input.setAttribute("aria-invalid", String(Boolean(mistake)));
    this.mistake.hidden = !mistake;
    fill(this.mirror);
    if (!mistake) return;
    this.mistake.textContent = mistake.message;
    if (mistake.position === null || mistake.position === undefined) return;
    // The server counts what a person sees as one character.
    const characters = [...new Intl.Segmenter().segment(this.input.value)].map(some => some.segment);
    const end = mistake.position + Math.max(1, mistake.length);
    fill(this.mirror, characters.slice(0, mistake.position).join(""),
      h("mark", {}, characters.slice(mistake.position, end).join("") || " "), characters.slice(end).join(""));
    this.mirror.scrollLeft = this.input.scrollLeft;
  }

  // Completion

  /** Returns the path of names before the cursor, unless it is within a string. */
  get word() {
    const before = this.input.value.slice(0, this.input.selectionStart);
    const quotes = before.replace(/\\./g, "").match(/["']/g) ?? [];
    if (quotes.length % 2 === 1) return null;
    return before.match(/[\p{L}_@][\p{L}\p{N}_.]*$/u)?.[0] ?? "";
  }

  complete() {
    const word = this.word;
    if (!word) return this.hide();
    const found = this.scopes(this.some, word).flatMap(([some, rest]) => some.properties
      .filter(property => property.name.toLowerCase().startsWith(rest.toLowerCase()) && property.name !== rest)
      .map(property => ({ text: spelled(property.name), hint: typeText(property), length: rest.length })));
    if (!word.includes(".")) {
      found.push(...words.filter(keyword => keyword.startsWith(word.toUpperCase()) && keyword !== word).map(text => ({ text, hint: "", length: word.length })));
    }
    if (found.length === 0) return this.hide();
    this.offer(found.slice(0, 8));
  }

  /** Returns the classes to which the beginnings of a path lead, with what is left of it. A property can have dots in its name. */
  scopes(some, path) {
    const links = some.properties.filter(property => property.target && path.startsWith(property.name + "."));
    const next = links.map(link => [this.classes.find(other => other.name === link.target), path.slice(link.name.length + 1)]);
    return [[some, path], ...next.filter(([target]) => target).flatMap(([target, rest]) => this.scopes(target, rest))];
  }

  offer(found) {
    Object.assign(this, { found, chosen: -1 });
    fill(this.list, this.found.map(({ text, hint }, index) =>
      h("li", { role: "option", id: `completion-${index}`, "aria-selected": "false", onmousedown: event => { event.preventDefault(); this.take(index); } },
        h("span", {}, text), h("span", { class: "hint" }, hint))));
    this.list.hidden = false;
    this.input.setAttribute("aria-expanded", "true");
  }

  hide() {
    this.list.hidden = true;
    this.chosen = -1;
    this.input.setAttribute("aria-expanded", "false");
    this.input.removeAttribute("aria-activedescendant");
  }

  choose(index) {
    this.chosen = (index + this.found.length) % this.found.length;
    [...this.list.children].forEach((item, position) => item.setAttribute("aria-selected", String(position === this.chosen)));
    this.input.setAttribute("aria-activedescendant", `completion-${this.chosen}`);
  }

  take(index) {
    const { text, length, isWhole } = this.found[index];
    if (isWhole) {
      this.input.value = text;
      return this.submit();
    }
    const end = this.input.selectionStart;
    this.input.setRangeText(text, end - length, end, "end");
    this.hide();
    this.didWrite();
    this.hide();
  }

  keyDown(event) {
    const isOpen = !this.list.hidden;
    if (event.key === "ArrowDown" && isOpen) { event.preventDefault(); this.choose(this.chosen + 1); }
    else if (event.key === "ArrowUp" && isOpen) { event.preventDefault(); this.choose(this.chosen - 1); }
    else if (event.key === "Tab" && isOpen) { event.preventDefault(); this.take(Math.max(0, this.chosen)); }
    else if (event.key === "Enter" && isOpen && this.chosen >= 0) { event.preventDefault(); this.take(this.chosen); }
    else if (event.key === "Enter") { event.preventDefault(); this.submit(); }
    else if (event.key === "Escape") { if (isOpen) this.hide(); else this.element.closest(".table")?.querySelector(".grid")?.focus(); }
  }
}
