// Values as nodes and as texts. Their forms are those of `kivo export`, with "cut", "count" and "first" for parts.
import { h, grouped, size } from "./dom.js";
import { address } from "./api.js";

/** Returns a date in the notation of ISO 8601 in UTC, with the decimal places that it has; null for a very distant one. */
function isoText(value) {
  const date = new Date(value.seconds * 1000);
  if (value.seconds === undefined || Number.isNaN(date.getTime())) return null;
  const fraction = String(value.nanoseconds).padStart(9, "0").replace(/0+$/, "");
  return date.toISOString().replace(/\.000Z$/, fraction ? `.${fraction}Z` : "Z");
}

/** Returns the name of the reader's time zone, in which dates are shown. */
export function zoneName() { return new Intl.DateTimeFormat().resolvedOptions().timeZone ?? "local time"; }

/** Returns a date in the reader's time zone, with the decimal places that it has, or rounded to milliseconds. */
function dateText(value, isRounded = false) {
  const iso = isoText(value);
  if (iso === null) return value.seconds === undefined ? "a distant date" : `${value.seconds} s`;
  // Dates are stored as numbers that are seldom those that somebody wrote: 0.123 s is 0.122999906 s.
  const date = new Date(value.seconds * 1000 + (isRounded ? Math.round(value.nanoseconds / 1e6) : 0));
  // A date whose fields in UTC are those of the time zone: offsets of long ago have seconds, which `getTimezoneOffset` lacks.
  const shifted = new Date(0);
  shifted.setUTCFullYear(date.getFullYear(), date.getMonth(), date.getDate());
  shifted.setUTCHours(date.getHours(), date.getMinutes(), date.getSeconds());
  if (Number.isNaN(shifted.getTime())) return iso.replace("T", " ").replace("Z", "");
  const milliseconds = date.getUTCMilliseconds();
  const rounded = milliseconds === 0 ? "" : String(milliseconds).padStart(3, "0");
  const fraction = isRounded ? rounded : iso.match(/\.(\d+)Z$/)?.[1];
  const text = shifted.toISOString();
  return text.replace("T", " ").replace(/(\.\d+)?Z$/, fraction ? `.${fraction}` : "");
}

/** Returns the time of a commit in the reader's time zone, with the exact one in UTC as its title. */
export function timeNode(iso) {
  const milliseconds = new Date(iso).getTime();
  const seconds = Math.floor(milliseconds / 1000);
  const text = Number.isNaN(milliseconds) ? iso : dateText({ seconds, nanoseconds: (milliseconds - seconds * 1000) * 1e6 }).slice(0, 19);
  return h("time", { datetime: iso, title: iso }, text);
}

/** Returns the size of data and its first bytes. */
function dataText(value, count = Infinity) {
  const bytes = value.hex.match(/../g) ?? [];
  return `${size(value.size)}  ${bytes.slice(0, count).join(" ")}${value.size > Math.min(count, bytes.length) ? " …" : ""}`.trimEnd();
}

/** Whether a property holds values of any type. */
export function isAny(property) { return property.type === "any" || property.type === "AnyRealmValue"; }

/** Returns a value as one line of text. */
export function valueText(value, property) {
  if (value === null || value === undefined) return "nil";
  // After a migration, rows of the new version can arrive before their columns.
  if (property.collection && value.first) {
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
  if ("hex" in value) return dataText({ size: value.hex.length / 2, ...value });
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

/** Returns the link that a value is, or null: its class and key, and the label of its object if that is known. */
export function linkOf(value, property) {
  if (value === null || typeof value !== "object" || property.collection) return null;
  if (property.target && "key" in value) return { class: property.target, key: value.key, label: value.label };
  if (value.type === "link") return { class: value.value.class, key: value.value.key, label: value.value.label };
  return null;
}

/** Fills a cell of a table with a value. */
export function fillCell(cell, value, property, at) {
  // Rows that were read before a migration lack the properties that it adds.
  if (value === undefined) return cell.replaceChildren();
  const kind = kindOf(value, property);
  cell.dataset.kind = kind;
  const link = linkOf(value, property);
  if (link) {
    cell.replaceChildren(h("a", { class: "chip", href: address(["object", link.class, link.key], { at }), tabindex: -1 }, link.label || `${link.class} ${link.key}`));
  } else if (property.collection) {
    cell.replaceChildren(h("span", { class: "count" }, grouped(value.count)), document.createTextNode(" " + valueText(value, property)));
  } else if (kind === "bool") {
    cell.replaceChildren(h("span", { class: value ? "yes" : "no", role: "img", "aria-label": String(value) }, value ? "✓" : "–"));
  } else if (kind === "any") {
    cell.replaceChildren(h("span", { class: "tag" }, value.type ?? ""), document.createTextNode(" " + shortText(value.value ?? null, () => anyText(value))));
  } else {
    cell.textContent = shortText(value, () => valueText(value, property));
  }
  // A long value can be read without opening its object.
  const exact = exactText(value, property) ?? (cell.textContent.length > 24 ? cell.textContent : null);
  if (exact === null) cell.removeAttribute("title"); else cell.title = exact;
}

/** Returns the text of a date or of data for a cell, and of other values what `text` returns. */
function shortText(value, text) {
  if (value === null || typeof value !== "object") return text();
  if ("seconds" in value) return dateText(value, true);
  if ("hex" in value) return dataText({ size: value.hex.length / 2, ...value }, 8);
  return text();
}

/** Returns what a cell does not say of its value: the exact date, the bytes of data, the object of a link, or the word of a Boolean. */
function exactText(value, property) {
  const link = linkOf(value, property);
  if (link) return link.label ? `${link.class} ${link.key}` : null;
  if (typeof value === "boolean") return String(value);
  if (value === null || typeof value !== "object" || property.collection) return null;
  const inner = isAny(property) && "type" in value ? value.value : value;
  if (inner === null || typeof inner !== "object") return null;
  if ("seconds" in inner) return isoText(inner) === null ? null : `${isoText(inner)}, shown in ${zoneName()}`;
  if ("hex" in inner) return dataText({ size: inner.hex.length / 2, ...inner }, 256);
  return null;
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
