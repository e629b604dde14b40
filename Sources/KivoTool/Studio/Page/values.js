// Values as nodes and as texts. Their forms are those of `kivo export`, with "cut", "count" and "first" for parts.
import { h, grouped } from "./dom.js";
import { address } from "./api.js";

/** Returns a date in the notation of ISO 8601 in UTC, with the decimal places that it has; null for a very distant one. */
function isoText(value) {
  const date = new Date(value.seconds * 1000);
  if (value.seconds === undefined || Number.isNaN(date.getTime())) return null;
  const fraction = String(value.nanoseconds).padStart(9, "0").replace(/0+$/, "");
  return date.toISOString().replace(/\.000Z$/, fraction ? `.${fraction}Z` : "Z");
}

function dateText(value) {
  return isoText(value)?.replace("T", " ").replace("Z", "") ?? (value.seconds === undefined ? "a distant date" : `${value.seconds} s`);
}

/** Whether a property holds values of any type. */
export function isAny(property) { return property.type === "any" || property.type === "AnyRealmValue"; }

/** Returns a value as one line of text. */
export function valueText(value, property) {
  if (value === null || value === undefined) return "nil";
  if (property.collection) {
    const inner = { ...property, collection: null };
    const parts = value.first.map(element => property.collection === "dictionary"
      ? `${element[0]}: ${valueText(element[1], inner)}` : valueText(element, inner));
    const rest = value.count > value.first.length ? ", …" : "";
    return value.count === 0 ? "empty" : `${parts.join(", ")}${rest}`;
  }
  if (isAny(property)) return anyText(value);
  return scalarText(value, property);
}

function scalarText(value, property) {
  if (typeof value !== "object") return String(value);
  if ("cut" in value) return value.cut + "…";
  if ("hex" in value) return value.hex.replace(/(..)(?=.)/g, "$1 ") + (value.size * 2 > value.hex.length ? " …" : "");
  if ("key" in value) return `${value.class ?? property.target ?? ""} ${value.key}`;
  if ("repr" in value) return value.repr;
  if ("seconds" in value || "bits" in value) return dateText(value);
  return JSON.stringify(value);
}

function anyText(value) {
  if (value === null) return "nil";
  if (typeof value !== "object" || !("type" in value)) return scalarText(value, {});
  const inner = value.value;
  if (value.type === "list") return `[${inner.first.map(anyText).join(", ")}${inner.count > inner.first.length ? ", …" : ""}]`;
  if (value.type === "dictionary") {
    return `{${inner.first.map(([key, some]) => `${key}: ${anyText(some)}`).join(", ")}${inner.count > inner.first.length ? ", …" : ""}}`;
  }
  return scalarText(inner, {});
}

/** Whether values of a property are aligned like numbers. */
export function isNumber(property) {
  return !property.collection && /^(Int|Float|Double|Decimal|int|float|double|decimal)/.test(property.type);
}

/** Returns the kind of a value, for its colour. */
export function kindOf(value, property) {
  if (value === null || value === undefined) return "nil";
  if (property.collection) return "collection";
  if (property.target) return property.ownsTarget ? "embedded" : "link";
  if (isAny(property)) return "any";
  if (typeof value === "boolean") return "bool";
  if (typeof value === "number" || isNumber(property)) return "number";
  if (typeof value === "object" && "seconds" in value) return "date";
  if (typeof value === "object" && "hex" in value) return "data";
  return "text";
}

/** Returns the link that a value is, or null. */
export function linkOf(value, property) {
  if (value === null || typeof value !== "object" || property.collection) return null;
  if (property.target && "key" in value) return { class: property.target, key: value.key };
  if (value.type === "link") return { class: value.value.class, key: value.value.key };
  return null;
}

/** Fills a cell of a table with a value. */
export function fillCell(cell, value, property, at) {
  const kind = kindOf(value, property);
  cell.dataset.kind = kind;
  const link = linkOf(value, property);
  if (link) {
    cell.replaceChildren(h("a", { class: "chip", href: address(["object", link.class, link.key], { at }), tabindex: -1 },
      `${link.class} ${link.key}`));
  } else if (property.collection) {
    cell.replaceChildren(h("span", { class: "count" }, grouped(value.count)), document.createTextNode(" " + valueText(value, property)));
  } else if (kind === "bool") {
    cell.replaceChildren(h("span", { class: value ? "yes" : "no" }, value ? "true" : "false"));
  } else if (kind === "any") {
    cell.replaceChildren(h("span", { class: "tag" }, value.type ?? ""), document.createTextNode(" " + anyText(value)));
  } else {
    cell.textContent = valueText(value, property);
  }
  // A long value can be read without opening its object.
  if (cell.textContent.length > 24) cell.title = cell.textContent; else cell.removeAttribute("title");
}

/** Returns the type of a property for a person. */
export function typeText(property) {
  const type = property.type + (property.isOptional && !property.collection ? "?" : "");
  return { list: `[${type}]`, set: `set of ${type}`, dictionary: `[String: ${type}]` }[property.collection] ?? type;
}

/** Whether a value needs an editor of its own: it is long, has several lines, or has elements. */
export function needsDialog(value, property) {
  if (property.collection) return true;
  if (value === null || value === undefined) return false;
  const inner = isAny(property) && typeof value === "object" && "type" in value ? value.value : value;
  if (typeof inner === "string") return /[\u0000-\u001f\u007f\u2028\u2029]/.test(inner);
  return typeof inner === "object" && inner !== null && ("hash" in inner || "hex" in inner || "first" in inner);
}

/** Returns the text by which a person edits a scalar. */
export function editText(value, property) {
  if (value === null || value === undefined) return "";
  if (typeof value === "object" && "seconds" in value) return isoText(value) ?? "";
  if (typeof value === "object" && "hex" in value) return value.hex;
  if (typeof value === "object" && "repr" in value) return value.repr;
  if (typeof value === "object" && "type" in value) return editText(value.value, {});
  return String(value);
}
