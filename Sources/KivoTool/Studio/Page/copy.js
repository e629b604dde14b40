// Copying: a cell, or rows as a text with tabs, as JSON or as CSV, with the exact values of an export.
import { announce, toast, grouped } from "./dom.js";
import { get, exported } from "./api.js";
import { editText, valueText } from "./values.js";

/** The rows that can be copied at once. More of them are exported as a file. */
const largestCount = 10_000;

async function write(text, what) {
  await navigator.clipboard.writeText(text);
  announce(`${what} copied`);
  toast(`Copied ${what}.`);
}

/** Copies the whole value of a property, as an editor shows it. */
export async function copyCell(some, key, property, value, at) {
  const isPart = property.collection || (typeof value === "object" && value !== null && !("key" in value) && !("seconds" in value) && !("repr" in value));
  if (!isPart) return write(value === null ? "" : property.target ? valueText(value, property) : editText(value, property), `“${property.name}”`);
  const answer = await get("value", { class: some.name, key, property: property.name, at });
  const exact = answer.value;
  if (exact === undefined && answer.lines === undefined) throw new Error("The value is too large to be copied. An export has it.");
  return write(exact === undefined ? answer.lines.join("\n") : typeof exact === "string" ? exact : exact.hex, `“${property.name}”`);
}

/** Copies rows of a view. `format` is text, json or csv. */
export async function copyRows(view, keys, format) {
  if (keys.length > largestCount) throw new Error(`At most ${grouped(largestCount)} rows are copied. An export has all of them.`);
  const text = await exported({ view, keys, format: format === "json" ? "jsonl" : "csv" });
  const what = `${grouped(keys.length)} ${keys.length === 1 ? "row" : "rows"}`;
  if (format === "csv") return write(text, what);
  if (format === "json") return write(`[\n${text.trimEnd().split("\n").join(",\n")}\n]\n`, what);
  return write(withTabs(text), what);
}

/** Returns CSV as lines of fields between tabs, as spreadsheets take them. */
function withTabs(csv) {
  let text = "";
  let field = "";
  let isQuoted = false;
  const end = separator => {
    text += (/[\t\n"]/.test(field) ? `"${field.replaceAll('"', '""')}"` : field) + separator;
    field = "";
  };
  for (let index = 0; index < csv.length; index += 1) {
    const character = csv[index];
    if (isQuoted && character === '"' && csv[index + 1] === '"') { field += '"'; index += 1; }
    else if (character === '"') isQuoted = !isQuoted;
    else if (!isQuoted && character === ",") end("\t");
    else if (!isQuoted && character === "\n") end("\n");
    else if (isQuoted || character !== "\r") field += character;
  }
  return text;
}
