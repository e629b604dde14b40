// Builds nodes. Text is always inserted as text nodes: nothing of a file is ever parsed as HTML.

/** Returns an element with attributes and children. Attributes that begin with "on" are listeners. */
export function h(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name === "class") element.className = value;
    else element.setAttribute(name, value === true ? "" : String(value));
  }
  append(element, children);
  return element;
}

function append(element, children) {
  for (const child of children.flat(Infinity)) {
    if (child === undefined || child === null || child === false) continue;
    element.append(child instanceof Node ? child : document.createTextNode(String(child)));
  }
}

/** Replaces the children of an element. */
export function fill(element, ...children) {
  element.replaceChildren();
  append(element, children);
  return element;
}

/** Returns a function that calls another one once in a while, and the last time in any case. */
export function throttled(milliseconds, body) {
  let timer = null;
  let last = 0;
  return (...values) => {
    const rest = milliseconds - (performance.now() - last);
    clearTimeout(timer);
    const run = () => {
      last = performance.now();
      body(...values);
    };
    if (rest <= 0) run();
    else timer = setTimeout(run, rest);
  };
}

const status = document.getElementById("status");
const say = throttled(4000, text => { status.textContent = text; });

/** Tells screen readers something, at most every few seconds. */
export function announce(text) { say(text); }

/** Shows a message for some seconds. */
export function toast(text, kind = "info") {
  const node = h("div", { class: `toast ${kind}` }, text,
    h("button", { class: "icon", "aria-label": "Close", onclick: () => node.remove() }, "×"));
  document.getElementById("toasts").append(node);
  setTimeout(() => node.remove(), kind === "info" ? 4000 : 10000);
}

/** Returns a number with groups of digits. */
export function grouped(number) { return number === null || number === undefined ? "–" : number.toLocaleString("en-US"); }

/** Returns a size in bytes for a person. */
export function size(bytes) {
  if (bytes === null || bytes === undefined) return "–";
  const units = [bytes === 1 ? "byte" : "bytes", "KB", "MB", "GB", "TB"];
  let [value, unit] = [bytes, 0];
  while (value >= 1000 && unit < units.length - 1) { value /= 1000; unit += 1; }
  return `${unit === 0 || value >= 100 ? Math.round(value) : value.toFixed(1)} ${units[unit]}`;
}
