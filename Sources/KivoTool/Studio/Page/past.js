// The commits that changed one object.
import { h, grouped, throttled } from "./dom.js";
import { get, address } from "./api.js";
import { timeNode } from "./values.js";
import { changedValues } from "./changes.js";

/**
 * The commits that changed an object, the newest first, beside its page on a wide window. The server reads the file from its beginning for
 * them. It has those in memory that happen while the page is open.
 */
export class ObjectPast {
  /** The bytes of a file that is read unasked, and the entries that are shown of an object that changes all the time. */
  static limits = { bytes: 64e6, entries: 1000 };

  constructor(app, some, key, at) {
    Object.assign(this, { app, some, key, at });
    this.note = h("p", { class: "hint", role: "status" });
    this.list = h("ol", { class: "past-commits" });
    this.more = h("button", { class: "quiet small", hidden: true, onclick: () => this.look() });
    this.element = h("aside", { class: "past", "aria-label": "History of this object" }, h("h2", {}, "History"), this.note, this.list, this.more);
    this.aborting = new AbortController();
    this.follow = throttled(1000, () => this.lookAtFresh());
    this.width = matchMedia("(min-width: 1200px)");
    this.didResize = () => this.begin();
    this.width.addEventListener("change", this.didResize);
    this.begin();
  }

  /** Begins to look for commits when there is room to show them. */
  begin() {
    if (!this.width.matches || this.hasBegun) return;
    this.hasBegun = true;
    this.before = this.at ? Number(this.at) + 1 : undefined;
    if (this.app.file.bytes <= ObjectPast.limits.bytes) return this.look();
    this.note.textContent = "The file is large: looking for the commits that changed this object can take a while.";
    this.offer("Look for them");
  }

  offer(text) {
    this.more.textContent = text;
    this.more.hidden = false;
  }

  async read(parameters) {
    const answer = await get("past", { class: this.some.name, key: this.key, at: this.at, ...parameters }, this.aborting.signal);
    if (answer.message) throw new Error(answer.message);
    return { ...answer, items: answer.changes.map(change => this.item(change)) };
  }

  /** Looks for the commits before those that are shown. */
  async look() {
    if (this.isLooking) return;
    this.isLooking = true;
    const hadFocus = document.activeElement === this.more;
    this.note.textContent = "Looking …";
    try {
      const { changes, items, earlier, beginning, commit } = await this.read({ before: this.before });
      this.newest ??= commit;
      this.before = changes.at(-1)?.number ?? this.before;
      this.list.append(...items);
      this.more.hidden = true;
      if (earlier > 0) this.offer(`${grouped(earlier)} earlier`);
      // A button that disappears would take the focus with it.
      else if (hadFocus) items[0]?.querySelector("a")?.focus();
      this.note.textContent = earlier > 0 ? "" : beginning !== null ? `The file begins with commit ${grouped(beginning)}, when it was compacted.`
        : this.list.hasChildNodes() ? "" : "The file has no commit that changed this object.";
      if (this.isStale) this.follow();
    } catch (error) {
      if (error.name !== "AbortError") this.note.textContent = error.message;
    } finally {
      this.isLooking = false;
    }
  }

  /** Notes the newest commits of the file. */
  add(commits) {
    if (!this.hasBegun || commits.length === 0) return;
    const fresh = commits.filter(commit => commit.number > (this.newest ?? 0));
    // There may be more than these.
    const isGap = fresh.length === commits.length;
    if (!isGap && !fresh.some(commit => commit.classes.some(some => some.name === this.some.name))) return;
    this.isStale = true;
    if (this.newest !== undefined) this.follow();
  }

  async lookAtFresh() {
    if (this.isFollowing) return;
    this.isFollowing = true;
    try {
      while (this.isStale) {
        this.isStale = false;
        const { items, commit } = await this.read({ after: this.newest });
        this.newest = Math.max(this.newest, commit);
        for (const item of items) item.classList.add("inserted");
        this.list.prepend(...items);
        while (this.list.children.length > ObjectPast.limits.entries) {
          this.list.lastChild.remove();
          this.before = Number(this.list.lastChild.dataset.number);
          this.offer("Earlier");
        }
      }
    } catch (error) {
      if (error.name !== "AbortError") this.note.textContent = error.message;
    } finally {
      this.isFollowing = false;
    }
  }

  /** Returns what a commit did to the object, which may have had another key. */
  item(change) {
    const [kind, text] = change.inserted.length > 0 ? ["in", "created"] : change.deleted.length > 0 ? ["out", "deleted"] : ["mod", "modified"];
    const row = change.inserted[0] ?? change.deleted[0] ?? change.modified[0];
    const number = `#${change.number}`;
    const place = address(["object", this.some.name, row.key], { at: change.number });
    return h("li", { class: `entry ${kind}`, "data-number": change.number },
      h("p", {}, kind === "out" ? number : h("a", { href: place, title: "See the object as it was here" }, number), ` ${text}`,
        row.key === this.key ? null : ` as ${this.some.name} ${row.key}`,
        change.time ? h("span", { class: "hint" }, " ", timeNode(change.time)) : null),
      change.label || change.author ? h("p", { class: "hint" }, h("bdi", {}, change.label ?? ""), change.author ? [" by ", h("bdi", {}, change.author)] : null) : null,
      changedValues(row, this.some));
  }

  end() {
    this.aborting.abort();
    this.width.removeEventListener("change", this.didResize);
  }
}
