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

/** The most numbers that the server computes for a table. */
const mostNumbers = 8;

export class NumberFoot {
  /** `state` has numbers, such as "sum:amount,count", and by. `didChoose` is called with those that a person has chosen. */
  constructor(some, state, didChoose) {
    Object.assign(this, { some, didChoose });
    this.chosen = new Set((state.numbers ?? "").split(",").filter(Boolean));
    this.key = state.by ?? "";
    this.values = h("div", { class: "numbers" });
    this.menu = h("details", { class: "menu" }, h("summary", { class: "quiet" }, "Numbers"), this.items = h("div", { class: "menu-items columns" }));
    this.element = h("div", { class: "foot" }, this.menu, this.values);
    this.fillMenu();
  }

  fillMenu() {
    const focused = document.activeElement?.closest?.(".foot [data-does]")?.dataset.does;
    const dates = property => !property.collection && /^date/i.test(property.type);
    // In the address, a comma separates numbers.
    const single = this.some.properties.filter(property => !property.collection && !property.name.includes(","));
    const numbers = single.filter(property => isNumber(property) || dates(property));
    const keys = single.filter(property => !property.target && !isAny(property) && !/^data/i.test(property.type)).map(property => property.name);
    if (this.key && !keys.includes(this.key)) keys.push(this.key);
    const offered = new Set();
    const toggle = (number, label) => {
      offered.add(number);
      return this.toggle(number, label);
    };
    const select = h("select", { "aria-label": "For each value of", "data-does": "by", onchange: event => this.choose(() => { this.key = event.target.value; }) },
      h("option", { value: "" }, "of all objects"), keys.map(name => h("option", { value: name, selected: name === this.key }, `for each ${name}`)));
    const rows = [h("div", { class: "column" }, h("label", {}, select), toggle("count", "Count")), numbers.map(property =>
      h("div", { class: "column" }, h("label", {}, property.name), functions.map(([name, label]) =>
        dates(property) && (name === "sum" || name === "avg") ? null : toggle(`${name}:${property.name}`, label))))];
    // The address may have others, of a property that is no longer there.
    const others = [...this.chosen].filter(number => !offered.has(number));
    fill(this.items, rows, others.map(number => h("div", { class: "column" }, h("label", {}, number), this.toggle(number, "Remove"))));
    if (focused) this.items.querySelector(`[data-does="${CSS.escape(focused)}"]`)?.focus();
  }

  toggle(number, label) {
    const isChosen = this.chosen.has(number);
    const isImpossible = this.key !== "" && /^(min|max):/.test(number) || this.chosen.size >= mostNumbers;
    return h("button", {
      class: "icon", "aria-pressed": String(isChosen), disabled: isImpossible && !isChosen, "data-does": number,
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
    this.didChoose({ numbers: [...this.chosen].join(",") || undefined, by: this.key || undefined });
  }

  /** Shows the numbers that the server has computed, and why it has not computed others. */
  show({ numbers = [], numbersMistake = null }) {
    fill(this.values, numbersMistake ? h("span", { class: "mistake", role: "alert" }, numbersMistake) : null, numbers.map(number => {
      const name = h("span", { class: "label" }, title(number));
      if (!number.by) return h("span", { class: "number", "data-number": title(number) }, name, " ", h("b", {}, text(number.value)));
      if (!number.groups) return h("span", { class: "number", "data-number": title(number) }, name, ` ${grouped(number.count)} values of ${number.by}`);
      return h("span", { class: "number", "data-number": title(number) }, name, ` by ${number.by} `,
        number.groups.map(([key, value]) => [h("span", { class: "group" }, key === "" ? "“”" : text(key), " ", h("b", {}, text(value))), " "]));
    }));
  }
}
