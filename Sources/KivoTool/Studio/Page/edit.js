// Editing: each edit is one transaction, carries the value that it was made on, and can be undone.
import { h, fill, toast } from "./dom.js";
import { get, post, Failure } from "./api.js";
import { editText, valueText, typeText } from "./values.js";
import { objectChooser } from "./choose.js";

/** Sends edits. Returns the answer; null if they were refused, which is shown. */
export async function performEdits(app, edits) {
  try {
    const answer = await post("edit", { edits });
    app.didEdit(answer.undoCount);
    return answer;
  } catch (error) {
    toast(error.message, "problem");
    return null;
  }
}

export async function undo(app) {
  try {
    const answer = await post("undo", {});
    app.didEdit(answer.undoCount);
    toast(!answer.isUndone ? "There is nothing to undo." : answer.missingLinks === 0 ? "Undone."
      : `Undone, without ${answer.missingLinks} ${answer.missingLinks === 1 ? "link" : "links"} to objects that were deleted since.`);
  } catch (error) {
    toast(error.message, "problem");
  }
}

/** Whether values of a property can be edited in a cell. */
export function isEditable(property, value) {
  if (property.isPrimaryKey || property.ownsTarget || property.collection) return false;
  if (value !== null && typeof value === "object" && ("cut" in value || (value.type && typeof value.value === "object" && "first" in (value.value ?? {})))) return false;
  return true;
}

const anyTypes = ["string", "int", "double", "bool", "date", "uuid", "objectId", "decimal128", "data", "float"];

/** Opens an editor in a cell. `done` is called when it closes. Returns false if the value cannot be edited here. */
export function editCell(app, cell, some, key, property, value, done) {
  if (!isEditable(property, value) || cell.classList.contains("editing")) return false;
  const isAny = property.type === "any" || property.type === "AnyRealmValue";
  cell.classList.add("editing");
  const error = h("div", { class: "cell-error", role: "alert", hidden: true });
  let [was, kind, chooser] = [value, null, null];
  let input;
  if (property.type === "Bool" || property.type === "bool") {
    const choices = [["true", true], ["false", false], ...(property.isOptional ? [["nil", null]] : [])];
    input = h("select", { "aria-label": property.name }, choices.map(([text, some]) => h("option", { value: text, selected: some === value }, text)));
  } else {
    input = h("input", { type: "text", "aria-label": property.name, spellcheck: "false", value: property.target ? value?.key ?? "" : editText(value, property) });
    if (property.target) chooser = objectChooser(input, property.target);
  }
  const extras = [];
  if (isAny) {
    kind = h("select", { "aria-label": "Type" }, anyTypes.map(name => h("option", { selected: name === (value?.type ?? "string") }, name)));
    extras.push(kind);
  }
  const canBeNil = property.isOptional || property.target || isAny;
  const nil = canBeNil && input.tagName === "INPUT" ? h("button", { class: "nil", type: "button", title: "Set to nil", tabindex: -1 }, "nil") : null;
  fill(cell, ...extras, input, chooser?.list, nil, error);
  input.focus();
  input.select?.();
  let isOpen = true;
  const close = () => {
    if (!isOpen) return;
    isOpen = false;
    cell.classList.remove("editing", "conflict");
    done();
  };
  const send = async change => {
    try {
      const answer = await post("edit", { edits: [{ kind: "set", class: some.name, key, property: property.name, was, ...change }] });
      app.didEdit(answer.undoCount);
      close();
    } catch (failure) {
      error.hidden = false;
      input.setAttribute("aria-invalid", "true");
      if (failure instanceof Failure && failure.status === 409 && "theirs" in failure.body) {
        // Both values are shown. Another Enter overwrites on purpose.
        cell.classList.add("conflict");
        was = failure.body.theirs;
        fill(error, failure.message, h("div", { class: "theirs" }, "Theirs: ", h("b", {}, valueText(was, property))),
          h("div", { class: "yours" }, "Yours: ", h("b", {}, input.value)), h("div", { class: "hint" }, "Enter writes yours, Escape keeps theirs."));
      } else {
        error.textContent = failure.message;
      }
    }
  };
  const sendLink = () => {
    const key = chooser.key();
    if (!Number.isNaN(key)) return send({ value: key === null ? null : { key } });
    error.hidden = false;
    error.textContent = `Choose an object of ${property.target}, or write its key.`;
    input.setAttribute("aria-invalid", "true");
  };
  const submit = () => {
    if (input.tagName === "SELECT") return send({ value: { true: true, false: false, nil: null }[input.value] });
    if (chooser) return sendLink();
    if (isAny) return send({ text: input.value, type: kind.value });
    return send({ text: input.value });
  };
  nil?.addEventListener("mousedown", event => { event.preventDefault(); send({ value: null }); });
  cell.addEventListener("keydown", function keyDown(event) {
    if (!isOpen) { cell.removeEventListener("keydown", keyDown); return; }
    event.stopPropagation();
    if (event.key === "Enter") { event.preventDefault(); submit(); }
    if (event.key === "Escape") { event.preventDefault(); close(); }
  });
  input.addEventListener("blur", () => setTimeout(() => {
    if (isOpen && !cell.contains(document.activeElement)) close();
  }, 100));
  return true;
}

/** Asks for the values of a new object. */
export function newObjectDialog(app, some) {
  const properties = some.properties.filter(property => !property.collection && !property.ownsTarget && property.type !== "any" && property.type !== "AnyRealmValue");
  const error = h("p", { class: "form-error", role: "alert", hidden: true });
  const inputs = new Map();
  const fields = properties.map(property => {
    const input = property.type === "Bool"
      ? h("select", {}, h("option", { value: "" }, "default"), h("option", {}, "true"), h("option", {}, "false"))
      : h("input", { type: "text", spellcheck: "false", placeholder: property.isOptional ? "nil" : "default", required: property.isPrimaryKey });
    const chooser = property.target ? objectChooser(input, property.target) : null;
    inputs.set(property, { input, chooser });
    const label = h("span", {}, property.name, " ", h("small", {}, typeText(property)));
    return h("label", {}, label, chooser ? h("span", { class: "choosing" }, input, chooser.list) : input);
  });
  const dialog = h("dialog", { class: "dialog", "aria-label": `New object of ${some.name}` },
    h("form", { onsubmit: async event => {
      event.preventDefault();
      const values = {};
      for (const [property, { input, chooser }] of inputs) {
        if (input.value === "") continue;
        const key = chooser?.key();
        if (Number.isNaN(key)) {
          error.hidden = false;
          error.textContent = `${property.name}: choose an object of ${property.target}, or write its key.`;
          return;
        }
        values[property.name] = chooser ? { value: key === null ? null : { key } } : { text: input.value };
      }
      try {
        const answer = await post("edit", { edits: [{ kind: "create", class: some.name, values }] });
        app.didEdit(answer.undoCount);
        dialog.close();
        toast(`${some.name} ${answer.created[0]} was created.`);
      } catch (failure) {
        error.hidden = false;
        error.textContent = failure.message;
      }
    } }, h("h2", {}, `New ${some.name}`), fields, error,
    h("div", { class: "buttons" }, h("button", { type: "button", class: "quiet", onclick: () => dialog.close() }, "Cancel"), h("button", { class: "primary" }, "Create"))));
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
}

/** Asks for another value of a collection, as JSON in the form of exports. */
export async function collectionDialog(app, some, key, property) {
  const page = await get("elements", { class: some.name, key, property: property.name, count: 500 });
  if (page.count > 500) { toast("A collection of more than 500 elements is not edited as a whole.", "problem"); return; }
  const error = h("p", { class: "form-error", role: "alert", hidden: true });
  const area = h("textarea", { rows: 12, spellcheck: "false", "aria-label": property.name });
  area.value = "[\n" + page.first.map(element => "  " + JSON.stringify(element)).join(",\n") + "\n]";
  const dialog = h("dialog", { class: "dialog", "aria-label": property.name },
    h("form", { onsubmit: async event => {
      event.preventDefault();
      try {
        const answer = await post("edit", { edits: [{ kind: "set", class: some.name, key, property: property.name, was: page.first, value: JSON.parse(area.value) }] });
        app.didEdit(answer.undoCount);
        dialog.close();
      } catch (failure) {
        error.hidden = false;
        error.textContent = failure.message;
      }
    } }, h("h2", {}, property.name), h("p", { class: "hint" }, `${typeText(property)}, as kivo dump --json prints it`), area, error,
    h("div", { class: "buttons" }, h("button", { type: "button", class: "quiet", onclick: () => dialog.close() }, "Cancel"), h("button", { class: "primary" }, "Save"))));
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
}
