// The commits that changed one object.
import { h, grouped, throttled } from "./dom.js";
import { get, address } from "./api.js";
import { valueText } from "./values.js";

/**
 * The commits that changed an object, the newest first, beside its page on a wide window. The server reads a commit that is not among the
 * newest again from the file, so they are asked for one after the other, and only as many as a person sees.
 */
export class ObjectPast {
  /** The entries and the commits of the class after which a search pauses, its milliseconds, and the bytes of a file that is searched unasked. */
  static limits = { entries: 10, commits: 60, pages: 10, time: 3000, bytes: 64e6, fresh: 10, all: 300 };

  constructor(app, some, key, at) {
    Object.assign(this, { app, some, key, at });
    this.note = h("p", { class: "hint", role: "status" });
    this.list = h("ol", { class: "past-commits" });
    this.more = h("button", { class: "quiet small", onclick: () => this.look() }, "Earlier");
    this.element = h("aside", { class: "past", "aria-label": "History of this object" }, h("h2", {}, "History"), this.note, this.list, this.more);
    this.queue = [];
    this.fresh = [];
    this.aborting = new AbortController();
    this.follow = throttled(1000, () => this.lookAtFresh());
    this.width = matchMedia("(min-width: 1200px)");
    this.didResize = () => this.begin();
    this.width.addEventListener("change", this.didResize);
    this.begin();
  }

  /** Begins to look for commits when there is room to show them. */
  begin() {
    if (!this.width.matches || this.newest !== undefined) return;
    this.newest = this.at ? Number(this.at) : Math.max(this.app.commit ?? 0, this.app.file.commit);
    this.before = this.newest + 1;
    if (this.app.file.bytes <= ObjectPast.limits.bytes) return this.look();
    this.note.textContent = "The file is large: looking for the commits that changed this object can take a while.";
    this.more.textContent = "Look for them";
  }

  concerns(commit) { return commit.classes.some(some => some.name === this.some.name); }

  /** Looks for earlier commits that changed the object, until there are some or it has taken long. */
  async look() {
    if (this.isLooking) return;
    this.isLooking = true;
    this.note.textContent = "Looking …";
    this.more.textContent = "Earlier";
    const { entries, commits, pages, time } = ObjectPast.limits;
    let [found, seen, read] = [0, 0, 0];
    const end = performance.now() + time;
    try {
      while (!this.isComplete && found < entries && seen < commits && performance.now() < end) {
        if (this.queue.length === 0) {
          if (this.isLast) this.isComplete = true;
          if (this.isLast || read === pages) break;
          read += 1;
          await this.readPage();
          continue;
        }
        const item = await this.item(this.queue[0]);
        const commit = this.queue.shift();
        seen += 1;
        this.reached = commit.number;
        if (!item) continue;
        this.list.append(item);
        found += 1;
        if (item.classList.contains("in")) this.isComplete = true;
      }
      this.say();
    } catch (error) {
      if (error.name !== "AbortError") this.note.textContent = error.message;
    } finally {
      this.isLooking = false;
    }
  }

  /** Says how far back the commits were read. */
  say() {
    const isEmpty = this.list.children.length === 0;
    const hadFocus = document.activeElement === this.more;
    this.more.hidden = Boolean(this.isComplete);
    if (hadFocus && this.more.hidden) this.list.querySelector("li:last-child a")?.focus();
    this.note.textContent = !this.isComplete && this.reached !== undefined ? `As far back as commit ${grouped(this.reached)}.`
      : isEmpty ? "The file has no commit that changed this object." : "";
  }

  /** Reads the commits before those that are known. */
  async readPage() {
    const page = await get("history", { before: this.before, count: 60 }, this.aborting.signal);
    this.queue.push(...page.commits.filter(commit => this.concerns(commit)));
    if (page.commits.length > 0) this.before = this.reached = page.commits.at(-1).number;
    this.isLast = page.commits.length === 0 || !page.hasMore || this.before === 1;
  }

  /** Notes the newest commits of the file. */
  add(commits) {
    if (this.newest === undefined || commits.length === 0) return;
    const fresh = commits.filter(commit => commit.number > this.newest && this.concerns(commit));
    this.newest = Math.max(this.newest, commits[0].number);
    if (fresh.length === 0) return;
    this.fresh = [...fresh, ...this.fresh].slice(0, ObjectPast.limits.fresh);
    this.follow();
  }

  async lookAtFresh() {
    if (this.isFollowing) return;
    this.isFollowing = true;
    try {
      while (this.fresh.length > 0) {
        const item = await this.item(this.fresh.pop());
        if (!item) continue;
        item.classList.add("inserted");
        this.list.prepend(item);
        while (this.list.children.length > ObjectPast.limits.all) this.list.lastChild.remove();
        if (!this.isLooking) this.say();
      }
    } catch (error) {
      if (error.name !== "AbortError") this.note.textContent = error.message;
    } finally {
      this.isFollowing = false;
    }
  }

  /** Returns what a commit did to the object; null if it did nothing. */
  async item(commit) {
    const { name } = this.some;
    const changes = (await get("commit", { number: commit.number }, this.aborting.signal)).classes.find(change => change.class === name);
    const counts = commit.classes.find(some => some.name === name);
    const row = kind => changes?.[kind].find(row => row.key === this.key);
    const [inserted, modified, deleted] = [row("inserted"), row("modified"), row("deleted")];
    const number = `#${commit.number}`;
    const place = address(["object", name, this.key], { at: commit.number });
    const title = (text, isThere = true) => h("p", {}, isThere ? h("a", { href: place, title: "See the object as it was here" }, number) : number, ` ${text}`);
    const part = (tag, value, property) => {
      const text = valueText(value, this.some.properties.find(some => some.name === property) ?? { type: "any" });
      return h(tag, { title: text.length > 24 ? text : undefined }, text);
    };
    const pairs = entries => h("dl", {}, entries.map(([property, content]) => [h("dt", {}, property), h("dd", {}, content)]));
    const made = (kind, ...content) => h("li", { class: `entry ${kind}` }, content);
    if (inserted) return made("in", title("created"), pairs(Object.entries(inserted.values).map(([property, value]) => [property, part("ins", value, property)])));
    if (deleted) return made("out", title("deleted", false));
    if (modified) {
      return made("mod", title("modified"), pairs([
        ...Object.entries(modified.values).map(([property, [old, fresh]]) => [property, [part("del", old, property), " → ", part("ins", fresh, property)]]),
        ...Object.entries(modified.collections)]));
    }
    const isCut = ["inserted", "modified", "deleted"].some(kind => (counts?.[kind] ?? 0) > (changes?.[kind].length ?? 0));
    return isCut ? made("maybe", title(`changed ${grouped(counts.inserted + counts.modified + counts.deleted)} objects of ${name}, perhaps this one`)) : null;
  }

  end() {
    this.aborting.abort();
    this.width.removeEventListener("change", this.didResize);
  }
}
