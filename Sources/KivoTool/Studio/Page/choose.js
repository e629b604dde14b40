// Choosing an object to which a link leads: by a part of its name, or by its key.
import { h, fill } from "./dom.js";
import { get } from "./api.js";

let lists = 0;

/**
 * Makes an input choose among the objects of a class. Returns the list of choices, which belongs behind the input, and a function
 * that returns the chosen key: null for none, NaN for a text that is no key.
 */
export function objectChooser(input, className) {
  const id = `choices-${lists += 1}`;
  const list = h("ul", { class: "completions choices", id, role: "listbox", "aria-label": `Objects of ${className}`, hidden: true });
  for (const [name, value] of Object.entries({ role: "combobox", "aria-autocomplete": "list", "aria-controls": id, "aria-expanded": "false", autocomplete: "off" })) {
    input.setAttribute(name, value);
  }
  input.placeholder = `name or key of ${className}`;
  let [found, chosen, request, timer] = [[], -1, null, null];
  const hide = () => {
    list.hidden = true;
    chosen = -1;
    input.setAttribute("aria-expanded", "false");
    input.removeAttribute("aria-activedescendant");
  };
  const take = index => {
    input.value = found[index].key;
    hide();
  };
  const choose = index => {
    chosen = (index + found.length) % found.length;
    found.forEach((_, position) => list.children[position].setAttribute("aria-selected", String(position === chosen)));
    list.children[chosen].scrollIntoView({ block: "nearest" });
    input.setAttribute("aria-activedescendant", `${id}-${chosen}`);
  };
  const show = async () => {
    request?.abort();
    request = new AbortController();
    let answer;
    try {
      answer = await get("choices", { class: className, text: input.value.trim() }, request.signal);
    } catch { return; }
    if (!input.isConnected || document.activeElement !== input) return;
    found = answer.objects;
    chosen = -1;
    fill(list, found.map(({ key, label }, index) =>
      h("li", { role: "option", id: `${id}-${index}`, "aria-selected": "false", onmousedown: event => { event.preventDefault(); take(index); } },
        h("span", {}, label ?? className), h("span", { class: "hint" }, `#${key}`))),
      answer.hasMore ? h("li", { class: "rest", "aria-hidden": "true" }, "… write more of the name") : null,
      found.length === 0 ? h("li", { class: "rest", role: "option", "aria-disabled": "true" }, "No such object") : null);
    list.hidden = false;
    input.setAttribute("aria-expanded", "true");
  };
  input.addEventListener("input", () => { clearTimeout(timer); timer = setTimeout(show, 120); });
  input.addEventListener("focus", show);
  input.addEventListener("blur", hide);
  input.addEventListener("keydown", event => {
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      event.preventDefault();
      event.stopPropagation();
      if (list.hidden) show(); else if (found.length > 0) choose(event.key === "ArrowDown" ? chosen + 1 : chosen < 0 ? -1 : chosen - 1);
    } else if (event.key === "Enter" && !list.hidden && chosen >= 0) {
      // The first Enter takes the object, the next one writes it.
      event.preventDefault();
      event.stopPropagation();
      take(chosen);
    } else if (event.key === "Escape" && !list.hidden) {
      event.preventDefault();
      event.stopPropagation();
      hide();
    }
  });
  const key = () => {
    const text = input.value.trim();
    if (text === "") return null;
    return /^\d+$/.test(text) ? Number(text) : NaN;
  };
  return { list, key };
}
