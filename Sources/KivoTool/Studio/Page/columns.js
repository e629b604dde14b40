// The columns of a table: their order and widths, which are hidden, and which stay in sight. They are kept for each class of a file.
import { isNumber } from "./values.js";

/** The width of the column of keys. */
export const keyWidth = 72;
const leastWidth = 48;

function usualWidth(property) {
  if (property.collection) return 200;
  if (property.target) return 130;
  if (/Bool/i.test(property.type)) return 84;
  if (isNumber(property)) return 120;
  if (/date/i.test(property.type)) return 180;
  if (/uuid|objectid/i.test(property.type)) return 260;
  return 220;
}

export class Columns {
  /** `didChange` is called when a person has arranged them. */
  constructor(path, some, didChange) {
    Object.assign(this, { some, didChange });
    this.place = `columns ${path} ${some.name}`;
    this.load();
  }

  load() {
    const { some } = this;
    const kept = JSON.parse(localStorage.getItem(this.place) ?? "{}");
    const primary = some.properties.filter(property => property.isPrimaryKey).map(property => property.name);
    const names = [...primary, ...some.properties.map(property => property.name).filter(name => !primary.includes(name))];
    const known = (kept.order ?? []).filter(name => names.includes(name));
    this.order = [...known, ...names.filter(name => !known.includes(name))];
    this.widths = kept.widths ?? {};
    this.hidden = new Set(kept.hidden ?? []);
    this.pinned = new Set(kept.pinned ?? primary);
    this.arrange();
  }

  /** Makes `shown`: for each column its property, the index of its values, its width, and where it is if it is pinned. */
  arrange() {
    const names = this.order.filter(name => !this.hidden.has(name));
    const sorted = [...names.filter(name => this.pinned.has(name)), ...names.filter(name => !this.pinned.has(name))];
    let left = keyWidth;
    this.shown = sorted.map(name => {
      const index = this.some.properties.findIndex(property => property.name === name);
      const property = this.some.properties[index];
      const column = { property, index, width: this.widths[name] ?? usualWidth(property), left, isPinned: this.pinned.has(name) };
      left += column.width;
      return column;
    });
  }

  /** The widths as a style of a grid. */
  get template() { return [keyWidth, ...this.shown.map(column => column.width)].map(width => `${width}px`).join(" "); }

  /** Whether a person has arranged the columns. */
  get isArranged() { return localStorage.getItem(this.place) !== null; }

  /** Returns the positions of the columns between two distances from the left, and of those that are pinned. */
  visible(from, to) {
    const positions = [];
    this.shown.forEach(({ left, width, isPinned }, position) => { if (isPinned || (left + width > from && left < to)) positions.push(position); });
    return positions;
  }

  resize(position, width) {
    this.widths[this.shown[position].property.name] = Math.max(leastWidth, Math.round(width));
    this.arrange();
  }

  toggle(name, set) {
    if (set.has(name)) set.delete(name); else set.add(name);
    this.keep();
  }

  hide(name) { this.toggle(name, this.hidden); }
  pin(name) { this.toggle(name, this.pinned); }

  /** Moves a column by places. */
  move(name, by) {
    const from = this.order.indexOf(name);
    const to = Math.max(0, Math.min(this.order.length - 1, from + by));
    this.order.splice(to, 0, ...this.order.splice(from, 1));
    this.keep();
  }

  /** Forgets what a person has arranged. */
  reset() {
    localStorage.removeItem(this.place);
    this.load();
    this.didChange();
  }

  keep() {
    const { order, widths } = this;
    localStorage.setItem(this.place, JSON.stringify({ order, widths, hidden: [...this.hidden], pinned: [...this.pinned] }));
    this.arrange();
    this.didChange();
  }
}
