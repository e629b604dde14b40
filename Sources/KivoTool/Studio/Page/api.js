// Requests to the server, and addresses of the page.

/** An answer that is an error, with the fields of its body. */
export class Failure extends Error {
  constructor(status, body) {
    super(body.message ?? `The server answered ${status}.`);
    this.status = status;
    this.body = body;
  }
}

function query(parameters) {
  const known = Object.entries(parameters).filter(([, value]) => value !== undefined && value !== null && value !== "");
  return known.length ? "?" + new URLSearchParams(known) : "";
}

async function answer(response) {
  if (!response.ok) throw new Failure(response.status, await response.json().catch(() => ({})));
  return response.json();
}

export async function get(path, parameters = {}, signal = undefined) {
  return answer(await fetch(`/api/${path}${query(parameters)}`, { signal }));
}

export async function post(path, body) { return postText(path, JSON.stringify(body)); }

/** Sends a text of JSON as it is. */
export async function postText(path, body) {
  return answer(await fetch(`/api/${path}`, { method: "POST", headers: { "Content-Type": "application/json" }, body }));
}

export async function text(path) { return (await fetch(`/api/${path}`)).text(); }

export function exportAddress(parameters) { return `/api/export${query(parameters)}`; }

/**
 * Opens a stream of events. `handlers` has a function for each name of an event. Returns a function that closes it. A tab that cannot be
 * seen has no stream: browsers keep six connections to a host, which its other tabs need.
 */
export function live(parameters, handlers) {
  let source = null;
  let isClosed = false;
  const open = () => {
    if (document.hidden) return;
    source = new EventSource(`/api/live${query(parameters)}`);
    for (const [name, body] of Object.entries(handlers)) {
      source.addEventListener(name, event => body(event.data ? JSON.parse(event.data) : {}));
    }
    source.addEventListener("reset", () => { source.close(); if (!isClosed) open(); });
    source.onerror = () => {
      handlers.lost?.();
      // A browser gives up after an answer that is no stream.
      const failed = source;
      if (source.readyState === EventSource.CLOSED && !isClosed) setTimeout(() => { if (!isClosed && source === failed) open(); }, 2000);
    };
  };
  const close = () => { source?.close(); source = null; };
  const follow = () => {
    if (document.hidden) close();
    else if (!source) open();
  };
  document.addEventListener("visibilitychange", follow);
  open();
  return () => {
    isClosed = true;
    document.removeEventListener("visibilitychange", follow);
    close();
  };
}

/** Returns the parts of the page's address: the path and the parameters after "#". */
export function place() {
  const [path, search = ""] = location.hash.replace(/^#\/?/, "").split("?");
  return { path: path.split("/").filter(Boolean).map(decodeURIComponent), parameters: Object.fromEntries(new URLSearchParams(search)) };
}

export function address(path, parameters = {}) {
  return "#/" + path.map(encodeURIComponent).join("/") + query(parameters);
}
