// The table of a class: the tools above its rows, and the server's change sets, by which it moves.
import { h, fill, grouped, announce, toast } from "./dom.js";
import { post, address, download, Failure } from "./api.js";
import { FilterBar } from "./filter.js";
import { NumberFoot } from "./foot.js";
import { Columns } from "./columns.js";
import { newObjectDialog } from "./edit.js";
import { rowHeight } from "./rows.js";
import { TableHead } from "./head.js";

/** A table that follows a view of the server. */
export class TableView extends TableHead {
  /** `state` has where, find, sort and at, and the numbers of the foot and by which property they are. */
  constructor(app, some, state) {
    super(app, some, state);
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
      this.backLink = h("a", { href: this.address({ at: undefined }) }, "Back to now")) : null;
    const finding = state.find && !state.at ? h("div", { class: "frozen" }, `Objects of ${some.name} that have the words “${state.find}”. `,
      h("a", { href: address(["find"], { text: state.find }) }, "Find them in all classes")) : null;
    this.empty = h("div", { class: "empty", hidden: true });
    this.foot = new NumberFoot(some, state, change => this.chooseNumbers(change));
    this.element = h("section", { class: "table" }, this.toolbar, frozen, finding, this.scroller, this.empty, this.foot.element);
    this.observer = new ResizeObserver(() => this.render());
    this.observer.observe(this.scroller);
  }

  go(change) {
    location.hash = this.address(change);
  }

  /** Returns the address of this table with other parameters. */
  address(change) {
    const { where, find, sort, at, numbers, by } = { ...this.state, ...change };
    return address(["class", this.some.name], { where, find, sort, at, numbers, by });
  }

  /** Asks for other numbers. The table stays where it is; if it was paused, it goes on, because the numbers are those of now. */
  chooseNumbers(change) {
    Object.assign(this.state, change);
    history.replaceState(null, "", this.address({}));
    this.hash = location.hash;
    this.hasReturned = true;
    if (this.backLink) this.backLink.href = this.address({ at: undefined });
    this.showPaused(false);
    this.close();
    this.connect();
  }

  // Following

  connect() {
    const { where, find, sort, at, numbers, by } = this.state;
    this.close = this.app.follow({
      begin: event => this.didBegin(event),
      change: event => this.didChange(event),
      pending: event => this.didPend(event),
      lost: error => this.explainLoss(error),
    }, { class: this.some.name, where, find, sort, at, numbers, by });
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
    this.foot.show(event);
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
    if (event.numbers) this.foot.show(event);
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

  showPaused(isPaused) {
    this.isPaused = isPaused;
    this.pauseButton.setAttribute("aria-pressed", String(isPaused));
    this.pauseButton.textContent = isPaused ? "Resume" : "Pause";
    fill(this.activity);
  }

  async pause(isPaused) {
    this.showPaused(isPaused);
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
