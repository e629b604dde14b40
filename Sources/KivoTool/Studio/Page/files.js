// The file of the page, and the way to the others that the same program shows.
import { h, fill, toast } from "./dom.js";
import { get, post } from "./api.js";

const lastName = path => path.split("/").at(-1);

/** Draws the name of the file, with a menu of the others if there are any. */
export async function drawFile(element, file) {
  const title = h("b", {}, lastName(file.path));
  const tag = file.isWritable ? h("span", { class: "tag" }, "writable") : null;
  element.title = file.path;
  fill(element, title, tag);
  const { files, current } = await get("files");
  if (files.length < 2) return;
  // Files of several folders can have one name.
  const text = path => files.filter(other => lastName(other) === lastName(path)).length > 1 ? path : lastName(path);
  fill(element, h("details", { class: "menu files" }, h("summary", { class: "quiet" }, title, " ▾"),
    h("div", { class: "menu-items" }, files.map((path, index) =>
      h("button", { title: path, disabled: index === current, "aria-current": index === current ? "page" : undefined, onclick: () => open(index) }, text(path))))), tag);
}

/** Goes to the page of another file, which has a server of its own. */
async function open(index) {
  try {
    location.assign((await post("open", { file: index })).address);
  } catch (error) { toast(error.message, "problem"); }
}
