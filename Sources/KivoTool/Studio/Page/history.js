// The commits of the file, the newest first, each with the values before and after. It follows the file.
import { h, fill, grouped, size, toast } from "./dom.js";
import { get, address } from "./api.js";
import { timeNode } from "./values.js";
import { changedValues } from "./changes.js";

export class HistoryView {
  constructor(app) {
    this.app = app;
    this.list = h("ol", { class: "commits", reversed: true });
    this.more = h("button", { class: "quiet", onclick: () => this.older(), hidden: true }, "Earlier commits");
    this.missed = h("button", { class: "quiet", hidden: true, onclick: () => this.reload() }, "");
    this.element = h("section", { class: "history" }, h("header", { class: "heading" }, h("h1", {}, "History"),
      h("p", { class: "hint" }, "What each commit changed, as far back as the file has it.")), this.missed, this.list, this.more);
    this.newest = 0;
    this.oldest = null;
    this.reload();
    this.close = app.follow({ file: event => this.add(event.commits) });
  }

  async reload() {
    this.missed.hidden = true;
    const page = await get("history", { count: 60 });
    fill(this.list, page.commits.map(commit => this.item(commit)));
    this.newest = page.commits[0]?.number ?? 0;
    this.oldest = page.commits.at(-1)?.number ?? null;
    this.more.hidden = !page.hasMore || this.oldest === 1;
  }

  add(commits) {
    const fresh = commits.filter(commit => commit.number > this.newest);
    if (fresh.length === 0) return;
    const gap = fresh.at(-1).number - this.newest - 1;
    this.newest = fresh[0].number;
    if (gap > 0) {
      this.missed.hidden = false;
      this.missed.textContent = `${grouped(gap)} commits in between: show the newest`;
    }
    const items = fresh.map(commit => this.item(commit));
    for (const item of items) item.classList.add("inserted");
    this.list.prepend(...items);
    while (this.list.children.length > 400) {
      this.list.lastChild.remove();
      this.oldest = Number(this.list.lastChild.dataset.number);
      this.more.hidden = false;
    }
  }

  async older() {
    const hadFocus = document.activeElement === this.more;
    const page = await get("history", { before: this.oldest, count: 60 });
    const items = page.commits.map(commit => this.item(commit));
    this.list.append(...items);
    this.oldest = page.commits.at(-1)?.number ?? this.oldest;
    this.more.hidden = page.commits.length === 0 || !page.hasMore || this.oldest === 1;
    // A button that disappears would take the focus with it.
    if (hadFocus && this.more.hidden) (items[0] ?? this.list.lastChild)?.querySelector("summary").focus();
  }

  item(commit) {
    const details = h("details", { class: "commit" }, h("summary", {},
      h("span", { class: "number" }, `#${commit.number}`),
      h("span", { class: "what" }, commit.schemaVersion !== null ? `schema version ${commit.schemaVersion}` : commit.classes.map(some =>
        h("span", { class: "change" }, some.name, " ",
          some.inserted ? h("span", { class: "badge in" }, `+${grouped(some.inserted)}`) : null,
          some.modified ? h("span", { class: "badge mod" }, `~${grouped(some.modified)}`) : null,
          some.deleted ? h("span", { class: "badge out" }, `−${grouped(some.deleted)}`) : null))),
      commit.label ? h("span", { class: "label" }, h("bdi", {}, commit.label)) : null,
      commit.author ? h("span", { class: "author" }, "by ", h("bdi", {}, commit.author)) : null,
      commit.time ? timeNode(commit.time) : null, h("span", { class: "bytes" }, size(commit.bytes))));
    details.addEventListener("toggle", () => { if (details.open && details.children.length === 1) this.unfold(details, commit); });
    return h("li", { "data-number": commit.number }, details);
  }

  async unfold(details, commit) {
    try {
      const changes = await get("commit", { number: commit.number });
      details.append(h("div", { class: "changes" }, changes.classes.map(change => this.change(change, commit)),
        h("p", { class: "then" }, "See the data as it was here: ", changes.classes.map(change =>
          h("a", { class: "chip", href: address(["class", change.class], { at: commit.number }) }, change.class)))));
    } catch (error) { toast(error.message, "problem"); }
  }

  change(change, commit) {
    const some = this.app.classNamed(change.class);
    const link = (key, at) => h("a", { class: "chip", href: address(["object", change.class, key], { at }) }, `${change.class} ${key}`);
    const counts = commit.classes.find(other => other.name === change.class) ?? {};
    const rest = (rows, all, what) => all > rows.length ? h("p", { class: "hint" }, `and ${grouped(all - rows.length)} more ${what}`) : null;
    return h("div", { class: "class-change" },
      change.inserted.map(row => h("div", { class: "entry in" }, h("p", {}, "inserted ", link(row.key, commit.number)), changedValues(row, some))), rest(change.inserted, counts.inserted, "inserted"),
      change.modified.map(row => h("div", { class: "entry mod" }, h("p", {}, "modified ", link(row.key, commit.number)), changedValues(row, some))), rest(change.modified, counts.modified, "modified"),
      change.deleted.map(row => h("div", { class: "entry out" }, h("p", {}, `deleted ${change.class} ${row.key}`), changedValues(row, some))), rest(change.deleted, counts.deleted, "deleted"));
  }

  focus() {}
  end() { this.close(); }
}
