// The head of a table: its columns, their order and widths, and the order of the rows.
import { h, fill } from "./dom.js";
import { typeText, isNumber } from "./values.js";
import { TableCursor } from "./cursor.js";

/** Whether a key of an order is by a property. A name can begin with the sign of descending keys. */
const isKey = (key, name) => key === name || key === "-" + name;

/** Rows below a head. Subclasses make `head` and `columnMenu`. */
export class TableHead extends TableCursor {
  fillHead() {
    const order = (this.state.sort ?? "").split(",").filter(Boolean);
    fill(this.head, h("div", { class: "cell key pinned", role: "columnheader", "aria-colindex": 1 }, "#"),
      this.columns.shown.map(({ property, isPinned, left }, position) => {
        const place = order.findIndex(key => isKey(key, property.name));
        const direction = place < 0 ? null : order[place] === property.name ? "ascending" : "descending";
        // The keys of an order are separated by commas.
        const canSort = !property.collection && !property.target && !property.name.includes(",");
        const cell = h("div", {
          class: `cell${isNumber(property) ? " number" : ""}${canSort ? " sortable" : ""}${isPinned ? " pinned" : ""}`, role: "columnheader", "aria-colindex": position + 2,
          "aria-sort": canSort ? direction ?? "none" : undefined, title: typeText(property), tabindex: 0,
          onclick: event => { if (canSort) this.sort(property.name, event.shiftKey); },
          onkeydown: event => this.headKeyDown(event, property, position, canSort),
        },
        property.isPrimaryKey ? h("span", { class: "mark", "aria-label": "primary key" }, "◆") : null,
        h("span", { class: "name" }, property.name), h("span", { class: "type" }, typeText(property)),
        direction ? h("span", { class: "direction", "aria-hidden": "true" },
          direction === "ascending" ? "↑" : "↓", order.length > 1 ? String(place + 1) : "") : null,
        h("span", { class: "handle", onmousedown: event => this.resize(event, position), onclick: event => event.stopPropagation() }));
        if (isPinned) cell.style.left = `${left}px`;
        return cell;
      }));
    this.applyWidths();
  }

  applyWidths() { this.scroller.style.setProperty("--columns", this.columns.template); }

  /** Sorts by Enter; with Alt, the arrows resize a column. */
  headKeyDown(event, property, position, canSort) {
    if (event.key === "Enter" && canSort) { event.preventDefault(); this.sort(property.name, event.shiftKey); }
    const by = { ArrowLeft: -20, ArrowRight: 20 }[event.key];
    if (!event.altKey || !by) return;
    event.preventDefault();
    this.columns.resize(position, this.columns.shown[position].width + by);
    this.columns.keep();
    this.head.children[position + 1]?.focus();
  }

  resize(event, position) {
    event.preventDefault();
    const [x, width] = [event.clientX, this.columns.shown[position].width];
    const move = event => {
      this.columns.resize(position, width + event.clientX - x);
      this.applyWidths();
    };
    const end = () => {
      removeEventListener("mousemove", move);
      this.columns.keep();
    };
    addEventListener("mousemove", move);
    addEventListener("mouseup", end, { once: true });
  }

  /** Draws the table with other columns. */
  rearrange() {
    this.fillHead();
    this.fillColumnMenu();
    for (const row of this.rows.values()) row.remove();
    this.rows.clear();
    this.scroller.setAttribute("aria-colcount", this.columns.shown.length + 1);
    this.cursor.column = Math.min(this.cursor.column, this.columns.shown.length);
    this.render();
  }

  fillColumnMenu() {
    const { columns } = this;
    const focus = document.activeElement?.dataset?.does;
    const does = (what, name) => ({ "data-does": `${what} ${name}` });
    fill(this.columnMenu.lastChild, columns.order.map(name => h("div", { class: "column" },
      h("label", {}, h("input", { type: "checkbox", checked: !columns.hidden.has(name), onchange: () => columns.hide(name), ...does("hide", name) }), name),
      h("button", { class: "icon", "aria-label": `Keep ${name} in sight`, "aria-pressed": String(columns.pinned.has(name)), onclick: () => columns.pin(name), ...does("pin", name) }, "⇤"),
      h("button", { class: "icon", "aria-label": `Move ${name} to the left`, onclick: () => columns.move(name, -1), ...does("left", name) }, "↑"),
      h("button", { class: "icon", "aria-label": `Move ${name} to the right`, onclick: () => columns.move(name, 1), ...does("right", name) }, "↓"))),
    h("button", { disabled: !columns.isArranged, onclick: () => columns.reset() }, "As at first"));
    if (focus) this.columnMenu.querySelector(`[data-does="${CSS.escape(focus)}"]`)?.focus();
  }

  sort(name, adds) {
    let order = (this.state.sort ?? "").split(",").filter(Boolean);
    const known = order.find(key => isKey(key, name));
    const next = known === undefined ? name : known === name ? "-" + name : null;
    if (adds) order = known === undefined ? [...order, next] : order.map(key => key === known ? next : key).filter(Boolean);
    else order = next ? [next] : [];
    this.go({ sort: order.join(",") });
  }
}
