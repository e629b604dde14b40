// Editing: each edit is one transaction, carries the value that it was made on, and can be undone.
import { h, fill, toast } from "./dom.js";
import { post, postText, Failure } from "./api.js";
import { editText, valueText, typeText, isAny, needsDialog } from "./values.js";
import { objectChooser } from "./choose.js";
import { valueDialog } from "./long.js";

// Each tab undoes its own edits.
const tab = crypto.getRandomValues(new Uint32Array(2)).join("-");

/** Sends edits. The member `rawValue` of one is a text of JSON. Returns the answer. */
export async function sendEdits(app, edits) {
  const texts = edits.map(({ rawValue, ...edit }) =>
    rawValue === undefined ? JSON.stringify(edit) : `${JSON.stringify(edit).slice(0, -1)},"value":${rawValue}}`);
  try {
    const answer = await postText("edit", `{"tab":${JSON.stringify(tab)},"generation":${app.file.generation},"edits":[${texts.join(",")}]}`);
    app.didEdit(answer.undoCount, answer.redoCount);
    return answer;
  } catch (error) {
    if (error instanceof Failure && error.body.isOutdated) app.readAnew(error.message);
    throw error;
  }
}

/** Sends edits. Returns the answer; null if they were refused, which is shown. */
export async function performEdits(app, edits) {
  try {
    return await sendEdits(app, edits);
  } catch (error) {
    toast(error.message, "problem");
    return null;
  }
}

/** Undoes the last edit of this tab, or does again the last one that was undone. */
export async function undo(app, isRedo = false) {
  try {
    const answer = await post("undo", { tab, isRedo });
    app.didEdit(answer.undoCount, answer.redoCount);
    toast(!answer.isUndone ? `There is nothing to ${isRedo ? "do again" : "undo"}.` : answer.missingLinks > 0
      ? `${isRedo ? "Done again" : "Undone"}, without ${answer.missingLinks} ${answer.missingLinks === 1 ? "link" : "links"} to objects that were deleted since.`
      : isRedo ? "Done again." : "Undone.");
  } catch (error) {
    toast(error.message, "problem");
  }
}

/** Whether values of a property can be edited. */
export function isEditable(property) { return !property.isPrimaryKey && !property.ownsTarget && property.collection !== "inverse"; }

const anyTypes = ["string", "int", "double", "bool", "date", "uuid", "objectId", "decimal128", "data", "float"];

/**
 * Opens an editor in a cell, or a dialog for a value that a cell cannot hold. `done` is called when it closes, with the direction in which
 * Tab leaves the cell, if it does. Returns false if the value cannot be edited.
 *
 * `typed` is a text that replaces the value, because a person began to write on the cell.
 */
export function editCell(app, cell, some, key, property, value, done, typed = undefined) {
  if (!isEditable(property) || cell.classList.contains("editing")) return false;
  if (needsDialog(value, property)) {
    valueDialog(app, some, key, property, value, () => done(0));
    return true;
  }
  cell.classList.add("editing");
  const error = h("div", { class: "cell-error", role: "alert", hidden: true });
  // The label of a link is no part of its value.
  let [was, kind, chooser] = [{ was: property.target && value ? { key: value.key } : value }, null, null];
  let input;
  if (/^bool$/i.test(property.type)) {
    const choices = [["true", true], ["false", false], ...(property.isOptional ? [["nil", null]] : [])];
    input = h("select", { "aria-label": property.name }, choices.map(([text, some]) => h("option", { value: text, selected: some === value }, text)));
  } else {
    input = h("input", { type: "text", "aria-label": property.name, spellcheck: "false", placeholder: value === null ? "nil" : undefined });
    input.value = property.target ? value?.key ?? "" : editText(value, property);
    if (property.target) chooser = objectChooser(input, property.target);
  }
  if (isAny(property)) {
    // A link stays one until another type is chosen.
    const types = value?.type && !anyTypes.includes(value.type) ? [value.type, ...anyTypes] : anyTypes;
    kind = h("select", { "aria-label": "Type" }, types.map(name => h("option", { selected: name === (value?.type ?? "string") }, name)));
    if (value?.type === "link") input.value = `${value.value.class} ${value.value.key}`;
  }
  const before = [input.value, kind?.value];
  const canBeNil = property.isOptional || property.target || isAny(property);
  const nil = canBeNil && input.tagName === "INPUT" ? h("button", { class: "nil", type: "button", title: "Set to nil", tabindex: -1 }, "nil") : null;
  const long = /^(string|data)$/i.test(property.type)
    ? h("button", { class: "nil", type: "button", title: "Edit in a larger field", tabindex: -1 }, "⤢") : null;
  fill(cell, kind, input, chooser?.list, nil, long, error);
  input.focus();
  if (typed !== undefined && input.tagName === "INPUT") input.value = typed; else input.select?.();
  let [isOpen, isSending, hasFailed] = [true, false, false];
  const listening = new AbortController();
  const close = (direction = 0) => {
    if (!isOpen) return;
    isOpen = false;
    listening.abort();
    cell.classList.remove("editing", "conflict");
    done(direction);
  };
  const send = async (change, direction = 0) => {
    if (isSending) return;
    isSending = true;
    try {
      await sendEdits(app, [{ kind: "set", class: some.name, key, property: property.name, ...was, ...change }]);
      close(direction);
    } catch (failure) {
      hasFailed = true;
      error.hidden = false;
      input.setAttribute("aria-invalid", "true");
      if (failure instanceof Failure && failure.status === 409 && "theirs" in failure.body) {
        // Both values are shown. Another Enter overwrites on purpose.
        cell.classList.add("conflict");
        was = { hash: failure.body.theirHash };
        fill(error, failure.message, h("div", { class: "theirs" }, "Theirs: ", h("b", {}, valueText(failure.body.theirs, property))),
          h("div", { class: "yours" }, "Yours: ", h("b", {}, input.value)), h("div", { class: "hint" }, "Enter writes yours, Escape keeps theirs."));
      } else {
        error.textContent = failure.message;
      }
    } finally {
      isSending = false;
    }
  };
  const sendLink = direction => {
    const key = chooser.key();
    if (!Number.isNaN(key)) return send({ value: key === null ? null : { key } }, direction);
    error.hidden = false;
    error.textContent = `Choose an object of ${property.target}, or write its key.`;
    input.setAttribute("aria-invalid", "true");
  };
  const isChanged = () => input.value !== before[0] || kind?.value !== before[1];
  const submit = (direction = 0) => {
    // What was not changed is not written: its text may say less than the value.
    if (!isChanged() && !cell.classList.contains("conflict")) return close(direction);
    if (input.tagName === "SELECT") return send({ value: { true: true, false: false, nil: null }[input.value] }, direction);
    if (chooser) return sendLink(direction);
    if (kind) return send({ text: input.value, type: kind.value }, direction);
    return send({ text: input.value }, direction);
  };
  nil?.addEventListener("mousedown", event => { event.preventDefault(); send({ value: null }); });
  long?.addEventListener("mousedown", event => {
    event.preventDefault();
    close();
    valueDialog(app, some, key, property, value, () => done(0));
  });
  cell.addEventListener("keydown", event => {
    event.stopPropagation();
    if (event.key === "Enter") { event.preventDefault(); submit(); }
    if (event.key === "Tab" && !event.ctrlKey) { event.preventDefault(); submit(event.shiftKey ? -1 : 1); }
    if (event.key === "Escape") { event.preventDefault(); close(); }
  }, { signal: listening.signal });
  // A click elsewhere writes the text, as Enter does; what was refused stays open until a person has seen why.
  cell.addEventListener("focusout", () => setTimeout(() => {
    if (!isOpen || cell.contains(document.activeElement) || !document.hasFocus() || isSending) return;
    if (!hasFailed) submit();
  }, 100), { signal: listening.signal });
  return true;
}

/** Whether the server makes the values of a primary key that a person leaves empty. */
function isGenerated(property) { return property.isPrimaryKey && /^(int|int64|uuid|objectid)$/i.test(property.type); }

/** Asks for the values of a new object. */
export function newObjectDialog(app, some) {
  const properties = some.properties.filter(property => !property.collection && !property.ownsTarget && property.type !== "any" && property.type !== "AnyRealmValue");
  const error = h("p", { class: "form-error", role: "alert", hidden: true });
  const inputs = new Map();
  const fields = properties.map(property => {
    const input = property.type === "Bool"
      ? h("select", {}, h("option", { value: "" }, "default"), h("option", {}, "true"), h("option", {}, "false"))
      : h("input", { type: "text", spellcheck: "false", placeholder: isGenerated(property) ? "generated" : property.isOptional ? "nil" : "default", required: property.isPrimaryKey && !isGenerated(property) });
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
        const answer = await sendEdits(app, [{ kind: "create", class: some.name, values }]);
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
