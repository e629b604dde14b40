// The table of a class: only the rows that can be seen exist, and they move as the server's change sets say.
import { h, fill, grouped, throttled, announce, toast } from "./dom.js";
import { get, post, live, address, download, Failure } from "./api.js";
import { fillCell, valueText, typeText, isNumber, linkOf } from "./values.js";
import { FilterBar } from "./filter.js";
import { editCell, newObjectDialog, performEdits } from "./edit.js";

const rowHeight = 30;
// Browsers limit the height of elements. Beyond this, the scroll bar is a scale, and small movements are exact.
const largestHeight = 1_500_000;
const overscan = 20;

export class TableView {
  /** `state` has class, where, sort and at; `show` goes to another address. */
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
    this.cursor = { row: 0, column: 0 };
    this.selected = new Set();
    this.totals = { inserted: 0, deleted: 0, modified: 0, moved: 0, commits: 0 };
    this.isPaused = false;
    this.build();
    this.connect();
  }

  // Building

  build() {
    const { some, state } = this;
    this.widths = some.properties.map(property => this.app.width(some.name, property));
    this.filter = new FilterBar(some, this.app.file.classes, state.where ?? "", where => this.go({ where }));
    this.pauseButton = h("button", { class: "quiet", "aria-pressed": "false", onclick: () => this.pause(!this.isPaused), hidden: Boolean(state.at) }, "Pause");
    this.activity = h("div", { class: "activity" });
    this.countText = h("span", { class: "row-count" });
    const exporting = h("details", { class: "menu" }, h("summary", { class: "quiet" }, "Export"),
      h("div", { class: "menu-items" }, ["jsonl", "csv"].map(format =>
        h("button", { onclick: () => { this.exportRows(format); exporting.open = false; } }, format === "csv" ? "CSV" : "JSON lines"))));
    this.deleteButton = h("button", { class: "quiet danger", hidden: true, onclick: () => this.deleteSelected() }, "Delete");
    const adding = this.app.canEdit(state) && !some.isEmbedded
      ? h("button", { class: "quiet", onclick: () => newObjectDialog(this.app, some) }, "New object") : null;
    this.toolbar = h("div", { class: "toolbar" }, this.filter.element,
      h("div", { class: "tools" }, this.countText, this.activity, this.deleteButton, adding, this.pauseButton, exporting));
    this.head = h("div", { class: "row head", role: "row", "aria-rowindex": 1 });
    this.layer = h("div", { class: "layer", role: "rowgroup" });
    this.spacer = h("div", { class: "spacer" });
    this.scroller = h("div", {
      class: "grid", role: "grid", tabindex: 0, "aria-label": `Objects of ${some.name}`, "aria-colcount": some.properties.length + 1,
      "aria-multiselectable": "true", onscroll: () => this.didScroll(), onkeydown: event => this.keyDown(event), onclick: event => this.click(event),
      ondblclick: event => this.doubleClick(event),
    }, h("div", { class: "head-holder", role: "rowgroup" }, this.head), this.layer, this.spacer);
    this.fillHead();
    const frozen = state.at ? h("div", { class: "frozen" }, `As it was at commit ${state.at}. `,
      h("a", { href: address(["class", some.name], { where: state.where, sort: state.sort }) }, "Back to now")) : null;
    this.empty = h("div", { class: "empty", hidden: true });
    this.element = h("section", { class: "table" }, this.toolbar, frozen, this.scroller, this.empty);
    this.observer = new ResizeObserver(() => this.render());
    this.observer.observe(this.scroller);
    this.load = throttled(30, () => this.fetchRows());
  }

  fillHead() {
    const order = (this.state.sort ?? "").split(",").filter(Boolean);
    fill(this.head, h("div", { class: "cell key", role: "columnheader", "aria-colindex": 1 }, "#"),
      this.some.properties.map((property, index) => {
        const place = order.findIndex(name => name.replace("-", "") === property.name);
        const direction = place < 0 ? null : order[place].startsWith("-") ? "descending" : "ascending";
        const canSort = !property.collection && !property.target;
        return h("div", {
          class: `cell${isNumber(property) ? " number" : ""}${canSort ? " sortable" : ""}`, role: "columnheader", "aria-colindex": index + 2,
          "aria-sort": canSort ? direction ?? "none" : undefined, title: typeText(property),
          onclick: event => { if (canSort) this.sort(property.name, event.shiftKey); },
        },
        property.isPrimaryKey ? h("span", { class: "mark", "aria-label": "primary key" }, "◆") : null,
        h("span", { class: "name" }, property.name), h("span", { class: "type" }, typeText(property)),
        direction ? h("span", { class: "direction", "aria-hidden": "true" },
          direction === "ascending" ? "↑" : "↓", order.length > 1 ? String(place + 1) : "") : null,
        h("span", { class: "handle", onmousedown: event => this.resize(event, index), onclick: event => event.stopPropagation() }));
      }));
    this.applyWidths();
  }

  applyWidths() {
    this.element?.style.setProperty("--columns", this.columns);
    this.scroller.style.setProperty("--columns", this.columns);
  }

  get columns() { return ["72px", ...this.widths.map(width => `${width}px`)].join(" "); }

  resize(event, index) {
    event.preventDefault();
    const [x, width] = [event.clientX, this.widths[index]];
    const move = event => {
      this.widths[index] = Math.max(48, width + event.clientX - x);
      this.applyWidths();
    };
    const end = () => {
      removeEventListener("mousemove", move);
      this.app.setWidth(this.some.name, this.some.properties[index], this.widths[index]);
    };
    addEventListener("mousemove", move);
    addEventListener("mouseup", end, { once: true });
  }

  sort(name, adds) {
    let order = (this.state.sort ?? "").split(",").filter(Boolean);
    const known = order.find(key => key.replace("-", "") === name);
    const next = known === undefined ? name : known.startsWith("-") ? null : "-" + name;
    if (adds) order = known === undefined ? [...order, next] : order.map(key => key === known ? next : key).filter(Boolean);
    else order = next ? [next] : [];
    this.go({ sort: order.join(",") });
  }

  go(change) {
    const { where, sort, at } = { ...this.state, ...change };
    location.hash = address(["class", this.some.name], { where, sort, at });
  }

  // Following

  connect() {
    const { where, sort, at } = this.state;
    this.close = live({ class: this.some.name, where, sort, at }, {
      begin: event => this.didBegin(event),
      change: event => this.didChange(event),
      pending: event => this.didPend(event),
      file: event => this.app.didUpdateFile(event),
      lost: error => this.explainLoss(error),
    });
  }

  /** Says why there is no stream. A mistake in the predicate is no loss of the connection. */
  explainLoss(error) {
    if (!(error instanceof Failure)) return this.app.lost(error);
    if (error.status === 422) this.filter.showMistake(error.body); else this.app.lost(error);
    this.showEmpty(error.message);
  }

  didBegin(event) {
    this.app.connected(event);
    Object.assign(this, { view: event.view, count: event.count, version: event.version });
    this.keys = [];
    this.values.clear();
    this.updateCount();
    this.render();
    this.fetchRows();
  }

  didChange(event) {
    if (event.version <= this.version) return;
    const before = this.offset;
    const follows = this.top > 0 && event.offset !== before && this.keys.length > 0;
    this.version = event.version;
    this.count = event.count;
    this.offset = event.offset;
    this.keys = event.keys;
    const changes = new Map(Object.entries(event.changed).map(([index, kind]) => [event.keys[Number(index)], kind]));
    for (const key of event.gone) this.leave(key);
    const fresh = new Map(event.rows.map(row => [row[0], row.slice(1)]));
    for (const [key, values] of fresh) {
      const old = this.values.get(key);
      this.values.set(key, values);
      const row = this.rows.get(key);
      if (row) this.updateRow(row, values, old);
    }
    if (this.values.size > 2000) this.forget();
    if (follows) this.moveTo((this.top / rowHeight + event.offset - before) * rowHeight);
    for (const name of ["inserted", "deleted", "modified", "moved", "commits"]) this.totals[name] += event[name];
    this.app.beat(event.commits, event.commit);
    this.showActivity(event);
    this.updateCount();
    this.pendingKinds = new Map([...(this.pendingKinds ?? []), ...changes]);
    this.render();
    // Rows that came into the window and are not known are asked for.
    if (this.keys.some(key => !this.values.has(key))) this.load();
  }

  forget() {
    const known = new Set(this.keys);
    for (const key of this.values.keys()) if (!known.has(key)) this.values.delete(key);
  }

  didPend(event) {
    this.pauseButton.textContent = `Resume · ${grouped(event.commits)} commits`;
    fill(this.activity, h("span", { class: "badge" }, `+${grouped(event.inserted)}  ~${grouped(event.modified)}  −${grouped(event.deleted)}`));
    this.app.beat(0);
  }

  async pause(isPaused) {
    this.isPaused = isPaused;
    this.pauseButton.setAttribute("aria-pressed", String(isPaused));
    this.pauseButton.textContent = isPaused ? "Resume" : "Pause";
    fill(this.activity);
    await post("pause", { view: this.view, isPaused });
  }

  showActivity(event) {
    const parts = [["+", event.inserted, "in"], ["~", event.modified, "mod"], ["−", event.deleted, "out"], ["↕", event.moved, "moved"]]
      .filter(([, number]) => number > 0);
    fill(this.activity, parts.map(([sign, number, kind]) => h("span", { class: `badge ${kind}` }, `${sign}${grouped(number)}`)));
    announce(`${event.inserted} inserted, ${event.modified} modified, ${event.deleted} deleted`);
    clearTimeout(this.activityTimer);
    this.activityTimer = setTimeout(() => { if (!this.isPaused) fill(this.activity); }, 2500);
  }

  updateCount() {
    this.countText.textContent = `${grouped(this.count)} ${this.count === 1 ? "object" : "objects"}`;
    this.scroller.setAttribute("aria-rowcount", this.count + 1);
    this.empty.hidden = this.count > 0;
    if (this.count === 0) this.showEmpty(this.state.where ? "No object matches the predicate." : `There are no objects of class ${this.some.name}.`);
  }

  showEmpty(text) {
    this.empty.hidden = false;
    this.empty.textContent = text;
  }

  // Scrolling

  get height() { return Math.max(0, this.scroller.clientHeight - rowHeight - 8); }
  get virtualHeight() { return this.count * rowHeight; }
  get realHeight() { return Math.min(this.virtualHeight, largestHeight); }
  get isScaled() { return this.virtualHeight > largestHeight; }

  didScroll() {
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

  makeRow(key) {
    const values = this.values.get(key);
    const row = h("div", { class: "row", role: "row", "aria-selected": String(this.selected.has(key)) },
      h("div", { class: "cell key", role: "rowheader", "aria-colindex": 1 },
        h("a", { href: address(["object", this.some.name, key], { at: this.state.at }), tabindex: -1 }, key)));
    row.key = key;
    this.some.properties.forEach((property, index) => {
      const cell = h("div", { class: `cell${isNumber(property) ? " number" : ""}`, role: "gridcell", "aria-colindex": index + 2 });
      fillCell(cell, values[index], property, this.state.at);
      row.append(cell);
    });
    return row;
  }

  updateRow(row, values, old) {
    if (row.values === values) return;
    row.values = values;
    this.some.properties.forEach((property, index) => {
      const cell = row.children[index + 1];
      if (cell.classList.contains("editing")) return;
      if (old && JSON.stringify(old[index]) === JSON.stringify(values[index])) return;
      fillCell(cell, values[index], property, this.state.at);
      if (!old) return;
      // The old value is shown for a moment; of a cell that changes all the time, the one of the first change.
      if (cell.timer) {
        cell.classList.add("busy");
        return;
      }
      cell.append(h("span", { class: "old", "aria-hidden": "true" }, valueText(old[index], property)));
      cell.classList.add("changed");
      cell.timer = setTimeout(() => {
        cell.timer = null;
        cell.classList.remove("changed", "busy");
        cell.querySelector(".old")?.remove();
      }, 1400);
    });
  }

  // Keyboard and pointer

  drawCursor() {
    for (const cell of this.layer.querySelectorAll(".cursor")) cell.classList.remove("cursor");
    const key = this.keys[this.cursor.row - this.offset];
    const cell = this.rows.get(key)?.children[this.cursor.column];
    if (!cell) { this.scroller.removeAttribute("aria-activedescendant"); return; }
    cell.classList.add("cursor");
    cell.id = `cell-${key}-${this.cursor.column}`;
    this.scroller.setAttribute("aria-activedescendant", cell.id);
  }

  moveCursor(row, column) {
    this.cursor = {
      row: Math.max(0, Math.min(this.count - 1, row)),
      column: Math.max(0, Math.min(this.some.properties.length, column)),
    };
    const y = this.cursor.row * rowHeight;
    if (y < this.top) this.moveTo(y);
    else if (y + rowHeight > this.top + this.height) this.moveTo(y + rowHeight - this.height);
    const left = ["72", ...this.widths].slice(0, this.cursor.column).reduce((sum, width) => sum + Number(width), 0);
    const width = this.cursor.column === 0 ? 72 : this.widths[this.cursor.column - 1];
    if (this.cursor.column > 0) {
      if (left - 72 < this.scroller.scrollLeft) this.scroller.scrollLeft = left - 72;
      else if (left + width > this.scroller.scrollLeft + this.scroller.clientWidth) this.scroller.scrollLeft = left + width - this.scroller.clientWidth;
    } else {
      this.scroller.scrollLeft = 0;
    }
    this.drawCursor();
    this.render();
  }

  keyDown(event) {
    if (event.target !== this.scroller) return;
    const { row, column } = this.cursor;
    const page = Math.max(1, Math.floor(this.height / rowHeight) - 1);
    const far = event.ctrlKey || event.metaKey;
    const moves = {
      ArrowDown: () => this.moveCursor(far ? this.count - 1 : row + 1, column), ArrowUp: () => this.moveCursor(far ? 0 : row - 1, column),
      ArrowRight: () => this.moveCursor(row, column + 1), ArrowLeft: () => this.moveCursor(row, column - 1),
      PageDown: () => this.moveCursor(row + page, column), PageUp: () => this.moveCursor(row - page, column),
      Home: () => this.moveCursor(far ? 0 : row, far ? column : 0), End: () => this.moveCursor(far ? this.count - 1 : row, far ? column : this.widths.length),
      Enter: () => this.activate(), F2: () => this.edit(), " ": () => this.select(event.shiftKey), Delete: () => this.deleteSelected(),
    };
    const isWritten = event.key.length === 1 && event.key !== " " && event.key !== "/" && !far && !event.altKey;
    const move = moves[event.key] ?? (isWritten ? () => this.edit(event.key) : undefined);
    if (!move || (isWritten && !this.app.canEdit(this.state))) return;
    event.preventDefault();
    move();
  }

  cellAt(event) {
    const cell = event.target.closest?.(".cell");
    const row = cell?.closest(".row");
    if (!row || row === this.head || row.position === undefined) return null;
    return { cell, row, column: [...row.children].indexOf(cell) };
  }

  click(event) {
    const found = this.cellAt(event);
    if (!found || event.target.closest("a, input, select, textarea, button")) return;
    this.cursor = { row: found.row.position, column: found.column };
    if (event.ctrlKey || event.metaKey) this.select(true);
    this.drawCursor();
    this.scroller.focus({ preventScroll: true });
  }

  doubleClick(event) {
    const found = this.cellAt(event);
    if (!found || event.target.closest("a, input, select, textarea, button")) return;
    this.cursor = { row: found.row.position, column: found.column };
    if (!this.edit()) this.activate();
  }

  get currentKey() { return this.keys[this.cursor.row - this.offset]; }

  /** Follows the link of the current cell, edits it, or opens its object. */
  activate() {
    const key = this.currentKey;
    if (key === undefined) return;
    const property = this.some.properties[this.cursor.column - 1];
    const link = property ? linkOf(this.values.get(key)[this.cursor.column - 1], property) : null;
    if (!link && property && this.edit()) return;
    location.hash = link ? address(["object", link.class, link.key], { at: this.state.at })
      : address(["object", this.some.name, key], { at: this.state.at });
  }

  /** Opens the editor of the current cell. Returns whether it can be edited. */
  edit(typed = undefined) {
    const key = this.currentKey;
    const property = this.some.properties[this.cursor.column - 1];
    if (!property || key === undefined || !this.app.canEdit(this.state)) return false;
    const cell = this.rows.get(key)?.children[this.cursor.column];
    if (!cell) return false;
    const column = this.cursor.column;
    return editCell(this.app, cell, this.some, key, property, this.values.get(key)[column - 1], direction => {
      fillCell(cell, this.values.get(key)?.[column - 1] ?? (property.collection ? { count: 0, first: [] } : null), property, this.state.at);
      // A person may be in another field already.
      if (!document.activeElement || document.activeElement === document.body) this.scroller.focus({ preventScroll: true });
      if (direction) this.moveCursor(this.cursor.row, column + direction);
    }, typed);
  }

  select(adds) {
    const key = this.currentKey;
    if (key === undefined) return;
    const isSelected = this.selected.has(key);
    if (!adds) {
      for (const other of this.selected) this.rows.get(other)?.setAttribute("aria-selected", "false");
      this.selected.clear();
    }
    if (isSelected) this.selected.delete(key); else this.selected.add(key);
    this.rows.get(key)?.setAttribute("aria-selected", String(!isSelected));
    this.deleteButton.hidden = !(this.selected.size > 0 && this.app.canEdit(this.state) && !this.some.isEmbedded);
    this.deleteButton.textContent = `Delete ${grouped(this.selected.size)}`;
  }

  async deleteSelected() {
    if (this.selected.size === 0 || !this.app.canEdit(this.state)) return;
    const keys = [...this.selected];
    if (await performEdits(this.app, [{ kind: "delete", class: this.some.name, keys }])) {
      this.selected.clear();
      this.deleteButton.hidden = true;
      toast(`${grouped(keys.length)} deleted. Undo brings them back.`);
    }
  }

  exportRows(format) {
    download({ view: this.view, format, keys: this.selected.size > 0 ? [...this.selected] : undefined }).catch(error => toast(error.message, "problem"));
  }

  focus() { this.scroller.focus({ preventScroll: true }); }
  focusFilter() { this.filter.focus(); }

  end() {
    this.close?.();
    this.observer.disconnect();
    this.request?.abort();
  }
}
