// What a commit changed in an object: its properties, with the values before and after.
import { h } from "./dom.js";
import { valueText } from "./values.js";

/** Texts that are longer are in a title, too, because there may be no room for them. */
const longText = 24;

/** Returns the properties of a row of a commit. `some` is the class, which may have had others then. */
export function changedValues(row, some) {
  const part = (tag, value, name) => {
    const text = valueText(value, some?.properties.find(property => property.name === name) ?? { name, type: "any" });
    return h(tag, { title: text.length > longText ? text : undefined }, text);
  };
  // Only modified objects have changes of collections, and values before and after.
  const content = (name, value) => row.collections ? [part("del", value[0], name), " → ", part("ins", value[1], name)] : part("span", value, name);
  return h("dl", { class: "pairs" }, Object.entries(row.values).map(([name, value]) => [h("dt", {}, name), h("dd", {}, content(name, value))]),
    Object.entries(row.collections ?? {}).map(([name, text]) => [h("dt", {}, name), h("dd", {}, text)]));
}
