// The table of a class: only the rows that can be seen exist, and they move as the server's change sets say.
import { h, fill, grouped, throttled, announce, toast } from "./dom.js";
import { get, post, address, download, Failure } from "./api.js";
import { fillCell, valueText, typeText, isNumber, linkOf } from "./values.js";
import { FilterBar } from "./filter.js";
import { Columns, keyWidth } from "./columns.js";
import { copyCell, copyRows } from "./copy.js";
import { editCell, newObjectDialog, performEdits } from "./edit.js";

const rowHeight = 30;
// Browsers limit the height of elements. Beyond this, the scroll bar is a scale, and small movements are exact.
const largestHeight = 1_500_000;
const overscan = 20;
// With more columns than this, only those that can be seen exist.
const largestColumnCount = 40;
const largestSelection = 100_000;

/** Whether a key of an order is by a property. A name can begin with the sign of descending keys. */
const isKey = (key, name) => key === name || key === "-" + name;

export class TableView {
  /** `state` has where, find, sort and at. */
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
    this.anchor = 0;
    this.hash = location.hash;
    this.totals = { inserted: 0, deleted: 0, modified: 0, moved: 0, commits: 0 };
    this.isPaused = false;
    this.build();
    this.connect();
  }

  // Building

  build() {
    const { some, state } = this;
    const { path, classes } = this.app.file;
    this.columns = new Columns(path, some, () => this.rearrange());
    this.filter = new FilterBar(path, some, classes, state.where ?? state.find ?? "", change => this.go(change));
    this.pauseButton = h("button", { class: "quiet", "aria-pressed": "false", onclick: () => this.pause(!this.isPaused), hidden: Boolean(state.at) }, "Pause");
    this.activity = h("div", { class: "activity" });
    this.countText = h("span", { class: "row-count" });
    const exporting = h("details", { class: "menu" }, h("summary", { class: "quiet" }, "Export"),
      h("div", { class: "menu-items" }, ["jsonl", "csv"].map(format =>
        h("button", { onclick: () => { this.exportRows(format); exporting.open = false; } }, format === "csv" ? "CSV" : "JSON lines"))));
    this.deleteButton = h("button", { class: "quiet danger", hidden: true, onclick: () => this.deleteSelected() }, "Delete");
    this.duplicateButton = h("button", { class: "quiet", hidden: true, onclick: () => this.duplicateSelected() }, "Duplicate");
    const copying = this.copyMenu = h("details", { class: "menu", hidden: true }, h("summary", { class: "quiet" }, "Copy"),
      h("div", { class: "menu-items" }, [["text", "Text"], ["json", "JSON"], ["csv", "CSV"]].map(([format, name]) =>
        h("button", { onclick: () => { this.copy(format); copying.open = false; } }, name))));
    this.columnMenu = h("details", { class: "menu" }, h("summary", { class: "quiet" }, "Columns"), h("div", { class: "menu-items columns" }));
    this.fillColumnMenu();
    const adding = this.app.canEdit(state) && !some.isEmbedded
      ? h("button", { class: "quiet", onclick: () => newObjectDialog(this.app, some) }, "New object") : null;
    this.toolbar = h("div", { class: "toolbar" }, this.filter.element,
      h("div", { class: "tools" }, this.countText, this.activity, this.deleteButton, this.duplicateButton, copying, adding, this.columnMenu, this.pauseButton, exporting));
    this.head = h("div", { class: "row head", role: "row", "aria-rowindex": 1 });
    this.layer = h("div", { class: "layer", role: "rowgroup" });
    this.spacer = h("div", { class: "spacer" });
    this.scroller = h("div", {
      class: "grid", role: "grid", tabindex: 0, "aria-label": `Objects of ${some.name}`, "aria-colcount": this.columns.shown.length + 1,
      "aria-multiselectable": "true", onscroll: () => this.didScroll(), onkeydown: event => this.keyDown(event), onclick: event => this.click(event),
      ondblclick: event => this.doubleClick(event),
    }, h("div", { class: "head-holder", role: "rowgroup" }, this.head), this.layer, this.spacer);
    this.fillHead();
    const frozen = state.at ? h("div", { class: "frozen" }, `As it was at commit ${state.at}. `,
      h("a", { href: address(["class", some.name], { where: state.where, find: state.find, sort: state.sort }) }, "Back to now")) : null;
    const finding = state.find && !state.at ? h("div", { class: "frozen" }, `Objects of ${some.name} that have the words “${state.find}”. `,
      h("a", { href: address(["find"], { text: state.find }) }, "Find them in all classes")) : null;
    this.empty = h("div", { class: "empty", hidden: true });
    this.element = h("section", { class: "table" }, this.toolbar, frozen, finding, this.scroller, this.empty);
    this.observer = new ResizeObserver(() => this.render());
    this.observer.observe(this.scroller);
    this.load = throttled(30, () => this.fetchRows());
  }

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

  go(change) {
    const { where, find, sort, at } = { ...this.state, ...change };
    location.hash = address(["class", this.some.name], { where, find, sort, at });
  }

  // Following

  connect() {
    const { where, find, sort, at } = this.state;
    this.close = this.app.follow({
      begin: event => this.didBegin(event),
      change: event => this.didChange(event),
      pending: event => this.didPend(event),
      lost: error => this.explainLoss(error),
    }, { class: this.some.name, where, find, sort, at });
  }

  /** Says why there is no stream. A mistake in the predicate is no loss of the connection. */
  explainLoss(error) {
    if (!(error instanceof Failure)) return this.app.lost(error);
    if (error.status === 422) this.filter.showMistake(error.body); else this.app.lost(error);
    this.showEmpty(error.message);
  }

  didBegin(event) {
    Object.assign(this, { view: event.view, count: event.count, version: event.version });
    this.keys = [];
    this.values.clear();
    this.updateCount();
    this.returnToPlace();
    this.render();
    this.fetchRows();
  }

  /** Goes to where a person was when this address was left. */
  returnToPlace() {
    const place = JSON.parse(sessionStorage.getItem(`place ${this.hash}`) ?? "null");
    if (!place || this.hasReturned) return;
    this.hasReturned = true;
    this.cursor = place.cursor;
    this.moveTo(place.top);
    this.scroller.scrollLeft = place.left;
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
    if (this.count > 0) return;
    const { where, find } = this.state;
    if (where || find) {
      this.showEmpty(where ? "No object matches the predicate. " : "No object has these words. ",
        h("button", { class: "quiet", onclick: () => this.go({ where: undefined, find: undefined }) }, "Show all objects"));
    } else {
      this.showEmpty(`There are no objects of class ${this.some.name}. `, this.app.canEdit(this.state) && !this.some.isEmbedded
        ? "Make one with “New object”." : this.state.at ? "" : "They appear here when a program writes them.");
    }
  }

  showEmpty(...content) {
    this.empty.hidden = false;
    fill(this.empty, content);
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

  // Keyboard and pointer

  /** Returns the cell of a row at a column, counted from that of the key; undefined if it does not exist. */
  cell(key, column) {
    const row = this.rows.get(key);
    return column === 0 ? row?.firstChild : row?.cells.get(column - 1);
  }

  drawCursor() {
    for (const cell of this.layer.querySelectorAll(".cursor")) cell.classList.remove("cursor");
    const key = this.keys[this.cursor.row - this.offset];
    const cell = this.cell(key, this.cursor.column);
    if (!cell) { this.scroller.removeAttribute("aria-activedescendant"); return; }
    cell.classList.add("cursor");
    cell.id = `cell-${key}-${this.cursor.column}`;
    this.scroller.setAttribute("aria-activedescendant", cell.id);
  }

  moveCursor(row, column) {
    const { shown } = this.columns;
    this.cursor = { row: Math.max(0, Math.min(this.count - 1, row)), column: Math.max(0, Math.min(shown.length, column)) };
    const y = this.cursor.row * rowHeight;
    if (y < this.top) this.moveTo(y);
    else if (y + rowHeight > this.top + this.height) this.moveTo(y + rowHeight - this.height);
    const current = shown[this.cursor.column - 1];
    if (!current) {
      this.scroller.scrollLeft = 0;
    } else if (!current.isPinned) {
      const pinned = shown.filter(column => column.isPinned).reduce((sum, column) => sum + column.width, keyWidth);
      if (current.left - pinned < this.scroller.scrollLeft) this.scroller.scrollLeft = current.left - pinned;
      else if (current.left + current.width > this.scroller.scrollLeft + this.scroller.clientWidth) this.scroller.scrollLeft = current.left + current.width - this.scroller.clientWidth;
    }
    this.drawCursor();
    this.render();
  }

  /** Moves the cursor, and selects the rows between where it began and where it is. */
  async extend(row) {
    this.moveCursor(row, this.cursor.column);
    await this.selectRange(this.anchor, this.cursor.row);
  }

  keyDown(event) {
    if (event.target !== this.scroller) return;
    const { row, column } = this.cursor;
    const page = Math.max(1, Math.floor(this.height / rowHeight) - 1);
    const far = event.ctrlKey || event.metaKey;
    const moveTo = target => event.shiftKey ? this.extend(target) : (this.moveCursor(target, column), this.anchor = this.cursor.row);
    const letters = far ? { a: () => this.selectRange(0, this.count - 1), c: () => this.copy("text"), d: () => this.duplicateSelected() } : {};
    const moves = {
      ...letters,
      ArrowDown: () => moveTo(far ? this.count - 1 : row + 1), ArrowUp: () => moveTo(far ? 0 : row - 1),
      ArrowRight: () => this.moveCursor(row, column + 1), ArrowLeft: () => this.moveCursor(row, column - 1),
      PageDown: () => moveTo(row + page), PageUp: () => moveTo(row - page),
      Home: () => this.moveCursor(far ? 0 : row, far ? column : 0), End: () => this.moveCursor(far ? this.count - 1 : row, far ? column : this.columns.shown.length),
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
    return { cell, row, column: Number(cell.getAttribute("aria-colindex")) - 1 };
  }

  click(event) {
    const found = this.cellAt(event);
    if (!found || event.target.closest("a, input, select, textarea, button")) return;
    this.cursor = { row: found.row.position, column: found.column };
    if (event.shiftKey) this.selectRange(this.anchor, found.row.position);
    else this.anchor = found.row.position;
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

  /** The column of the cursor; undefined for that of the key. */
  get currentColumn() { return this.columns.shown[this.cursor.column - 1]; }

  /** Follows the link of the current cell, edits it, or opens its object. */
  activate() {
    const key = this.currentKey;
    if (key === undefined) return;
    const column = this.currentColumn;
    const link = column ? linkOf(this.values.get(key)[column.index], column.property) : null;
    if (!link && column && this.edit()) return;
    location.hash = link ? address(["object", link.class, link.key], { at: this.state.at })
      : address(["object", this.some.name, key], { at: this.state.at });
  }

  /** Opens the editor of the current cell. Returns whether it can be edited. */
  edit(typed = undefined) {
    const key = this.currentKey;
    const column = this.currentColumn;
    if (!column || key === undefined || !this.app.canEdit(this.state)) return false;
    const cell = this.cell(key, this.cursor.column);
    if (!cell) return false;
    const { property, index } = column;
    const position = this.cursor.column;
    return editCell(this.app, cell, this.some, key, property, this.values.get(key)[index], direction => {
      fillCell(cell, this.values.get(key)?.[index] ?? (property.collection ? { count: 0, first: [] } : null), property, this.state.at);
      // A person may be in another field already.
      if (!document.activeElement || document.activeElement === document.body) this.scroller.focus({ preventScroll: true });
      if (direction) this.moveCursor(this.cursor.row, position + direction);
    }, typed);
  }

  select(adds) {
    const key = this.currentKey;
    if (key === undefined) return;
    const isSelected = this.selected.has(key);
    if (!adds) this.selected.clear();
    if (isSelected) this.selected.delete(key); else this.selected.add(key);
    this.drawSelection();
  }

  /** Selects the rows between two positions. */
  async selectRange(from, to) {
    const [first, last] = from < to ? [from, to] : [to, from];
    if (last - first >= largestSelection) return toast(`At most ${grouped(largestSelection)} rows are selected. An export without a selection has all of them.`, "problem");
    const known = this.keys.slice(first - this.offset, last + 1 - this.offset);
    const isKnown = first >= this.offset && known.length === last + 1 - first;
    const ask = this.asked = {};
    const keys = isKnown ? known : (await get("keys", { view: this.view, offset: first, count: last + 1 - first })).keys;
    // Another selection may have begun meanwhile.
    if (this.asked !== ask) return;
    this.selected = new Set(keys);
    this.drawSelection();
  }

  drawSelection() {
    for (const [key, row] of this.rows) row.setAttribute("aria-selected", String(this.selected.has(key)));
    const { size } = this.selected;
    const canChange = size > 0 && this.app.canEdit(this.state) && !this.some.isEmbedded;
    this.copyMenu.hidden = size === 0;
    this.deleteButton.hidden = !canChange;
    this.duplicateButton.hidden = !canChange;
    this.deleteButton.textContent = `Delete ${grouped(size)}`;
    this.duplicateButton.textContent = `Duplicate ${grouped(size)}`;
    if (size > 0) announce(`${size} selected`);
  }

  async deleteSelected() {
    if (this.selected.size === 0 || !this.app.canEdit(this.state)) return;
    const keys = [...this.selected];
    if (await performEdits(this.app, [{ kind: "delete", class: this.some.name, keys }])) {
      this.selected.clear();
      this.drawSelection();
      toast(`${grouped(keys.length)} deleted. Undo brings them back.`);
    }
  }

  /** Duplicates the selected rows, or the current one. */
  async duplicateSelected() {
    if (!this.app.canEdit(this.state) || this.some.isEmbedded) return;
    const keys = this.selected.size > 0 ? [...this.selected] : [this.currentKey].filter(key => key !== undefined);
    if (keys.length === 0) return;
    if (keys.length > 1000) return toast("At most 1,000 objects are duplicated at once.", "problem");
    const answer = await performEdits(this.app, keys.map(key => ({ kind: "duplicate", class: this.some.name, key })));
    if (answer) toast(keys.length === 1 ? `${this.some.name} ${answer.created[0]} is a duplicate.` : `${grouped(keys.length)} duplicated.`);
  }

  /** Copies the selected rows, or the current cell. */
  async copy(format) {
    try {
      const key = this.currentKey;
      if (this.selected.size > 0) await copyRows(this.view, [...this.selected], format);
      else if (key !== undefined && this.currentColumn) await copyCell(this.some, key, this.currentColumn.property, this.values.get(key)[this.currentColumn.index], this.state.at);
      else if (key !== undefined) await copyRows(this.view, [key], format);
    } catch (error) { toast(error.message, "problem"); }
  }

  exportRows(format) {
    download({ view: this.view, format, keys: this.selected.size > 0 ? [...this.selected] : undefined }).catch(error => toast(error.message, "problem"));
  }

  focus() { this.scroller.focus({ preventScroll: true }); }
  focusFilter() { this.filter.focus(); }

  end() {
    sessionStorage.setItem(`place ${this.hash}`, JSON.stringify({ top: this.top, left: this.scroller.scrollLeft, cursor: this.cursor }));
    this.close?.();
    this.observer.disconnect();
    this.request?.abort();
  }
}
