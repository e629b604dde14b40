// Editing values that a cell cannot hold: long texts, texts of several lines, data, and collections. They are read exactly and whole,
// and an edit names the fingerprint of what it replaces.
import { h, size, toast } from "./dom.js";
import { get, Failure } from "./api.js";
import { sendEdits } from "./edit.js";
import { isAny, typeText } from "./values.js";

// A textarea turns all ends of lines into \n, and shows no control characters.
const isSpecial = text => /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/.test(text) || (/\r/.test(text) && /(^|[^\r])\n|\r(?!\n)/.test(text));

function bytesOfHex(text) {
  const digits = text.replace(/\s/g, "");
  if (digits.length % 2 !== 0 || /[^0-9a-f]/i.test(digits)) throw new Error("Two hexadecimal digits stand for each byte.");
  return digits.toLowerCase();
}

function hexOfBase64(text) {
  let binary;
  try { binary = atob(text.replace(/\s/g, "")); } catch { throw new Error("This is no base64."); }
  return Array.from(binary, character => character.charCodeAt(0).toString(16).padStart(2, "0")).join("");
}

const bytes = hex => Uint8Array.from(hex.match(/../g) ?? [], pair => parseInt(pair, 16));
const base64OfHex = hex => btoa(Array.from(bytes(hex), byte => String.fromCharCode(byte)).join("")).replace(/.{76}/g, "$&\n");
const hexLines = hex => hex.replace(/(.{2})(?=.)/g, "$1 ").replace(/.{48}/g, line => line.trimEnd() + "\n");

/** Returns the editor of a string: an element, and functions that say whether it changed and what it holds. */
function textEditor(value, name) {
  const area = h("textarea", { rows: 16, spellcheck: "false", "aria-label": name, dir: "auto" });
  const isEscaped = isSpecial(value ?? "");
  const end = !isEscaped && /\r\n/.test(value ?? "") ? "\r\n" : "\n";
  area.value = isEscaped ? JSON.stringify(value) : value ?? "";
  const before = area.value;
  return {
    element: [area, isEscaped ? h("p", { class: "hint" }, "As a string of JSON, because it has control characters or different ends of lines.") : null],
    isChanged: () => area.value !== before,
    text: () => {
      if (!isEscaped) return area.value.replaceAll("\n", end);
      const parsed = JSON.parse(area.value);
      if (typeof parsed !== "string") throw new Error("This is no string of JSON.");
      return parsed;
    },
  };
}

function dataEditor(value, name) {
  const area = h("textarea", { rows: 12, spellcheck: "false", "aria-label": name, class: "bytes" });
  const form = h("select", { "aria-label": "Form" }, ["hex", "base64"].map(name => h("option", {}, name)));
  const file = h("input", { type: "file", "aria-label": "Replace by a file" });
  let current = value?.hex ?? "";
  const read = () => form.dataset.form === "base64" ? hexOfBase64(area.value) : bytesOfHex(area.value);
  const show = () => {
    form.dataset.form = form.value;
    area.value = form.value === "base64" ? base64OfHex(current) : hexLines(current);
  };
  show();
  form.addEventListener("change", () => {
    try { current = read(); } catch { form.value = form.dataset.form; return; }
    show();
  });
  file.addEventListener("change", async () => {
    if (!file.files[0]) return;
    current = Array.from(new Uint8Array(await file.files[0].arrayBuffer()), byte => byte.toString(16).padStart(2, "0")).join("");
    show();
  });
  const save = h("button", { type: "button", class: "quiet small", onclick: () => {
    const link = h("a", { href: URL.createObjectURL(new Blob([bytes(current)])), download: name });
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  } }, "Save as a file");
  return {
    element: [h("div", { class: "forms" }, form, file, save), area],
    isChanged: () => read() !== (value?.hex ?? ""),
    text: read,
  };
}

function jsonEditor(lines, property) {
  const area = h("textarea", { rows: 14, spellcheck: "false", "aria-label": property.name });
  area.value = property.collection ? lines.length ? `[\n  ${lines.join(",\n  ")}\n]` : "[]" : lines.join("\n");
  const before = area.value;
  return {
    element: [h("p", { class: "hint" }, `${typeText(property)}, as kivo dump --json prints it`), area],
    isChanged: () => area.value !== before,
    // Sent as it is written: parsing it here would round its numbers.
    json: () => { JSON.parse(area.value); return area.value; },
  };
}

/** Asks for another value of a property. `done` is called when the dialog closes. */
export async function valueDialog(app, some, key, property, value, done = () => {}) {
  let known;
  try {
    known = await get("value", { class: some.name, key, property: property.name });
  } catch (error) {
    toast(error.message, "problem");
    return done();
  }
  let hash = known.hash;
  const word = isAny(property) ? value?.type : property.collection ? "" : property.type.toLowerCase();
  const isData = word === "data";
  const hasText = isData || word === "string";
  const error = h("p", { class: "form-error", role: "alert", hidden: true });
  const isTooLong = known.value === undefined && known.lines === undefined;
  const content = hasText && isAny(property) && known.lines ? JSON.parse(known.lines[0]).value : known.value;
  let editor;
  if (isData) editor = dataEditor(content, property.name);
  else if (hasText) editor = textEditor(content, property.name);
  else if (!isTooLong) editor = jsonEditor(known.lines, property);
  const note = isTooLong ? h("p", { class: "hint" }, `${size(known.size)}, which is too large to be shown here.`) : null;
  const send = async change => {
    try {
      await sendEdits(app, [{ kind: "set", class: some.name, key, property: property.name, hash, ...change }]);
      dialog.close();
    } catch (failure) {
      error.hidden = false;
      error.textContent = failure.message;
      if (failure instanceof Failure && failure.body.theirHash) {
        // Saving once more overwrites on purpose.
        hash = failure.body.theirHash;
        error.append(" Save again to write yours, or cancel to keep theirs.");
      }
    }
  };
  const submit = event => {
    event.preventDefault();
    try {
      if (!editor || (!editor.isChanged() && hash === known.hash)) return dialog.close();
      if (!hasText) return send({ rawValue: editor.json() });
      return send(isAny(property) ? { text: editor.text(), type: word } : { text: editor.text() });
    } catch (failure) {
      error.hidden = false;
      error.textContent = failure.message;
    }
  };
  const canBeNil = !property.collection && (property.isOptional || isAny(property));
  const dialog = h("dialog", { class: "dialog wide", "aria-label": property.name },
    h("form", { onsubmit: submit }, h("h2", {}, property.name), note, editor?.element, error, h("div", { class: "buttons" },
      canBeNil ? h("button", { type: "button", class: "quiet", onclick: () => send({ value: null }) }, "Set to nil") : null,
      h("button", { type: "button", class: "quiet", onclick: () => dialog.close() }, "Cancel"), h("button", { class: "primary" }, "Save"))));
  dialog.addEventListener("keydown", event => {
    event.stopPropagation();
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) submit(event);
  });
  dialog.addEventListener("close", () => { dialog.remove(); done(); });
  document.body.append(dialog);
  dialog.showModal();
  dialog.querySelector("textarea")?.focus();
}
