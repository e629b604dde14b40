// The rows of a table that can be seen: only these exist. They are placed by their position, and drawn again when it changes.
import { h, throttled, toast } from "./dom.js";
import { get, address } from "./api.js";
import { fillCell, valueText, isNumber } from "./values.js";

export const rowHeight = 30;
// Browsers limit the height of elements. Beyond this, the scroll bar is a scale, and small movements are exact.
const largestHeight = 1_500_000;
const overscan = 20;
// With more columns than this, only those that can be seen exist.
const largestColumnCount = 40;

/** The rows of a view of the server, and the place at which they are scrolled. Subclasses make `scroller`, `layer`, `spacer` and `columns`. */
export class TableRows {
  constructor(app, some, state) {
    Object.assign(this, { app, some, state });
    this.count = 0;
    this.view = null;
    this.version = -1;
    this.offset = 0;
    this.keys = [];
    this.values = new Map();
    this.rows = new Map();
    this.blanks = new Map();
    this.ghosts = new Set();
    this.top = 0;
    this.shift = 0;
    this.lastScroll = 0;
    this.load = throttled(30, () => this.fetchRows());
  }

  // Scrolling

  get height() { return Math.max(0, this.scroller.clientHeight - rowHeight - 8); }
  get virtualHeight() { return this.count * rowHeight; }
  get realHeight() { return Math.min(this.virtualHeight, largestHeight); }
  get isScaled() { return this.virtualHeight > largestHeight; }

  didScroll() {
    if (this.scroller.scrollLeft !== this.lastLeft) {
      this.lastLeft = this.scroller.scrollLeft;
      this.render();
    }
    const scroll = this.scroller.scrollTop;
    const delta = scroll - this.lastScroll;
    if (this.ignoresScroll) { this.ignoresScroll = false; this.lastScroll = scroll; return; }
    if (!this.isScaled) {
      this.top = scroll;
    } else if (Math.abs(delta) < this.height * 2 && scroll > 0 && scroll < this.realHeight - this.height) {
      this.top += delta;
    } else {
      this.top = scroll / Math.max(1, this.realHeight - this.height) * (this.virtualHeight - this.height);
    }
    this.top = Math.max(0, Math.min(this.top, this.virtualHeight - this.height));
    this.lastScroll = scroll;
    this.render();
    if (this.isScaled) {
      clearTimeout(this.settling);
      this.settling = setTimeout(() => this.settle(), 200);
    }
  }

  /** Moves the scroll bar to where the rows are. */
  settle() {
    const scroll = this.isScaled
      ? Math.round(this.top / (this.virtualHeight - this.height) * (this.realHeight - this.height)) : this.top;
    if (Math.abs(scroll - this.scroller.scrollTop) < 1) return;
    this.ignoresScroll = true;
    this.scroller.scrollTop = scroll;
    this.lastScroll = this.scroller.scrollTop;
    this.render();
  }

  moveTo(top) {
    this.top = Math.max(0, Math.min(top, this.virtualHeight - this.height));
    this.spacer.style.height = `${this.realHeight}px`;
    this.settle();
    this.render();
  }

  get visible() {
    const first = Math.floor(this.top / rowHeight);
    return [first, Math.min(this.count, first + Math.ceil(this.height / rowHeight) + 1)];
  }

  async fetchRows() {
    if (this.view === null || this.count === 0) return;
    const [first, last] = this.visible;
    const start = Math.max(0, first - overscan);
    const count = Math.min(300, last - start + overscan);
    this.request?.abort();
    const request = this.request = new AbortController();
    try {
      const page = await get("rows", { class: this.some.name, view: this.view, offset: start, count, anchored: this.top > 0 ? 1 : 0 }, request.signal);
      for (const row of page.rows) if (page.version >= this.version || !this.values.has(row[0])) this.values.set(row[0], row.slice(1));
      if (page.version >= this.version) {
        Object.assign(this, { version: page.version, count: page.count, offset: page.offset });
        this.keys = page.rows.map(row => row[0]);
        for (const [key, row] of this.rows) if (this.values.has(key)) this.updateRow(row, this.values.get(key));
        this.updateCount();
      }
      this.render();
    } catch (error) {
      if (error.name !== "AbortError" && error.status !== 410) toast(error.message, "problem");
    }
  }

  // Drawing

  render() {
    if (this.isDrawing) return;
    this.isDrawing = true;
    requestAnimationFrame(() => {
      this.isDrawing = false;
      this.draw();
    });
  }

  draw() {
    this.app.didDraw();
    this.spacer.style.height = `${this.realHeight}px`;
    this.top = Math.max(0, Math.min(this.top, this.virtualHeight - this.height));
    const [first, last] = this.visible;
    const shift = this.isScaled ? this.scroller.scrollTop - this.top : 0;
    const seen = new Set();
    const columns = this.visibleColumns();
    const kinds = this.pendingKinds ?? new Map();
    this.pendingKinds = null;
    let isMissing = false;
    for (let position = first; position < last; position += 1) {
      const key = this.keys[position - this.offset];
      if (key === undefined || !this.values.has(key)) {
        isMissing = true;
        this.drawBlank(position, position * rowHeight + shift);
        continue;
      }
      this.removeBlank(position);
      seen.add(key);
      let row = this.rows.get(key);
      if (!row) {
        row = this.makeRow(key);
        this.rows.set(key, row);
        this.layer.append(row);
      }
      if (row.columns !== columns.id) this.fillRow(row, columns);
      const y = position * rowHeight + shift;
      if (row.y !== y) { row.y = y; row.style.transform = `translateY(${y}px)`; }
      if (row.position !== position) {
        row.position = position;
        row.setAttribute("aria-rowindex", position + 2);
        row.classList.toggle("odd", position % 2 === 1);
      }
      const kind = kinds.get(key);
      if (kind === "inserted" || kind === "moved") this.flash(row, kind);
    }
    for (const [key, row] of this.rows) {
      if (!seen.has(key)) { row.remove(); this.rows.delete(key); }
    }
    for (const position of this.blanks.keys()) if (position < first || position >= last) this.removeBlank(position);
    this.drawCursor();
    if (isMissing) this.load();
  }

  /** Shows that there is a row at a position, whose values are on their way. */
  drawBlank(position, y) {
    let row = this.blanks.get(position);
    if (!row) {
      row = h("div", { class: "blank", "aria-hidden": "true" }, "…");
      this.blanks.set(position, row);
      this.layer.append(row);
    }
    row.style.transform = `translateY(${y}px)`;
  }

  removeBlank(position) {
    this.blanks.get(position)?.remove();
    this.blanks.delete(position);
  }

  flash(element, name) {
    element.classList.remove(name);
    void element.offsetWidth;
    element.classList.add(name);
    setTimeout(() => element.classList.remove(name), 1600);
  }

  /** Lets a row that is no longer in the view fade. */
  leave(key) {
    const row = this.rows.get(key);
    this.selected.delete(key);
    this.values.delete(key);
    if (!row) return;
    this.rows.delete(key);
    if (this.ghosts.size > 40) { row.remove(); return; }
    this.ghosts.add(row);
    row.classList.add("gone");
    row.setAttribute("aria-hidden", "true");
    setTimeout(() => { row.remove(); this.ghosts.delete(row); }, 900);
  }

  /** Returns the positions of the columns that exist, and an identity of that set. */
  visibleColumns() {
    const { shown } = this.columns;
    const left = this.scroller.scrollLeft;
    const positions = shown.length <= largestColumnCount ? shown.map((_, position) => position)
      : this.columns.visible(left - 400, left + this.scroller.clientWidth + 400);
    return { positions, id: positions.join() };
  }

  makeRow(key) {
    const row = h("div", { class: "row", role: "row", "aria-selected": String(this.selected.has(key)) },
      h("div", { class: "cell key pinned", role: "rowheader", "aria-colindex": 1 },
        h("a", { href: address(["object", this.some.name, key], { at: this.state.at }), tabindex: -1 }, key)));
    Object.assign(row, { key, cells: new Map(), values: this.values.get(key) });
    return row;
  }

  /** Makes the cells of the columns that exist. */
  fillRow(row, { positions, id }) {
    row.columns = id;
    const wanted = new Set(positions);
    for (const [position, cell] of row.cells) {
      if (wanted.has(position) || cell.classList.contains("editing")) continue;
      cell.remove();
      row.cells.delete(position);
    }
    for (const position of positions) {
      if (row.cells.has(position)) continue;
      const { property, index, isPinned, left } = this.columns.shown[position];
      const cell = h("div", { class: `cell${isNumber(property) ? " number" : ""}${isPinned ? " pinned" : ""}`, role: "gridcell", "aria-colindex": position + 2 });
      cell.style.gridColumn = position + 2;
      if (isPinned) cell.style.left = `${left}px`;
      fillCell(cell, row.values[index], property, this.state.at);
      row.cells.set(position, cell);
      row.append(cell);
    }
  }

  updateRow(row, values, old) {
    if (row.values === values) return;
    row.values = values;
    for (const [position, cell] of row.cells) {
      const { property, index } = this.columns.shown[position];
      if (cell.classList.contains("editing")) continue;
      if (old && JSON.stringify(old[index]) === JSON.stringify(values[index])) continue;
      fillCell(cell, values[index], property, this.state.at);
      if (!old) continue;
      // The old value is shown for a moment; of a cell that changes all the time, the one of the first change.
      if (cell.timer) {
        cell.classList.add("busy");
        continue;
      }
      cell.append(h("span", { class: "old", "aria-hidden": "true" }, valueText(old[index], property)));
      cell.classList.add("changed");
      cell.timer = setTimeout(() => {
        cell.timer = null;
        cell.classList.remove("changed", "busy");
        cell.querySelector(".old")?.remove();
      }, 1400);
    }
  }
}
