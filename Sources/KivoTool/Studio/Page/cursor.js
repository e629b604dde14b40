// The cursor of a table, and the rows that are selected: what keys and the pointer do with them.
import { grouped, announce, toast } from "./dom.js";
import { get, address } from "./api.js";
import { fillCell, linkOf } from "./values.js";
import { keyWidth } from "./columns.js";
import { copyCell, copyRows } from "./copy.js";
import { editCell, performEdits } from "./edit.js";
import { TableRows, rowHeight } from "./rows.js";

const largestSelection = 100_000;

/** Rows with a cursor and a selection. Subclasses make `copyMenu`, `deleteButton` and `duplicateButton`. */
export class TableCursor extends TableRows {
  constructor(app, some, state) {
    super(app, some, state);
    this.cursor = { row: 0, column: 0 };
    this.selected = new Set();
    this.anchor = 0;
  }

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

  // Selection

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
}
