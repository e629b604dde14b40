// The foot of a table: what its objects add up to, in all or for each value of a property. The numbers follow what others commit.
import { h, fill, grouped } from "./dom.js";
import { isAny, isNumber, valueText } from "./values.js";

const functions = [["sum", "Sum"], ["avg", "Average"], ["min", "Least"], ["max", "Greatest"]];

/** Returns a value as text, numbers with groups of digits. */
function text(value) {
  return typeof value === "number" && Number.isSafeInteger(value) ? grouped(value) : valueText(value, {});
}

/** Returns a number's name: "sum(amount)". */
function title(number) { return number.property === null || number.property === undefined ? number.function : `${number.function}(${number.property})`; }

export class NumberFoot {
  /** `state` has numbers, such as "sum:amount,count", and by. `didChoose` is called with those that a person has chosen. */
  constructor(some, state, didChoose) {
    Object.assign(this, { some, didChoose });
    this.read(state);
    this.values = h("div", { class: "numbers" });
    this.menu = h("details", { class: "menu" }, h("summary", { class: "quiet" }, "Numbers"), this.items = h("div", { class: "menu-items columns" }));
    this.element = h("div", { class: "foot" }, this.menu, this.values);
    this.fillMenu();
    this.show([]);
  }

  read(state) {
    this.chosen = new Set((state.numbers ?? "").split(",").filter(Boolean));
    this.key = state.by ?? "";
  }

  fillMenu() {
    const dates = property => !property.collection && /^date/i.test(property.type);
    const numbers = this.some.properties.filter(property => isNumber(property) || dates(property));
    const keys = this.some.properties.filter(property => !property.collection && !property.target && !isAny(property));
    const select = h("select", { "aria-label": "For each value of", "data-does": "by", onchange: event => this.choose(() => { this.key = event.target.value; }) },
      h("option", { value: "" }, "of all objects"), keys.map(property => h("option", { value: property.name, selected: property.name === this.key }, `for each ${property.name}`)));
    fill(this.items, h("div", { class: "column" }, h("label", {}, select), this.toggle("count", "Count")), numbers.map(property =>
      h("div", { class: "column" }, h("label", {}, property.name), functions.map(([name, label]) =>
        dates(property) && (name === "sum" || name === "avg") ? null : this.toggle(`${name}:${property.name}`, label)))));
  }

  toggle(number, label) {
    const isOfAll = /^(min|max):/.test(number);
    return h("button", {
      class: "icon", "aria-pressed": String(this.chosen.has(number)), disabled: isOfAll && this.key !== "", "data-does": number,
      onclick: () => this.choose(() => { if (!this.chosen.delete(number)) this.chosen.add(number); }),
    }, label);
  }

  /** Carries out a choice, and says what is chosen then. Groups have neither a least nor a greatest value, and without a number there are none. */
  choose(change) {
    change();
    if (this.key) {
      for (const number of [...this.chosen]) if (/^(min|max):/.test(number)) this.chosen.delete(number);
      if (this.chosen.size === 0) this.chosen.add("count");
    }
    this.fillMenu();
    this.show([]);
    this.didChoose({ numbers: [...this.chosen].join(",") || undefined, by: this.key || undefined });
  }

  /** Shows the numbers that the server has computed. */
  show(numbers) {
    fill(this.values, numbers.map(number => {
      const name = h("span", { class: "label" }, title(number));
      if (!number.by) return h("span", { class: "number", "data-number": title(number) }, name, " ", h("b", {}, text(number.value)));
      if (!number.groups) return h("span", { class: "number", "data-number": title(number) }, name, ` ${grouped(number.count)} values of ${number.by}`);
      return h("span", { class: "number", "data-number": title(number) }, name, ` by ${number.by} `,
        number.groups.map(([key, value]) => [h("span", { class: "group" }, key === "" ? "“”" : text(key), " ", h("b", {}, text(value))), " "]));
    }));
  }
}
