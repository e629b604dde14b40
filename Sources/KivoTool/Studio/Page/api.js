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

// The secret of the server belongs to this origin with its port, and is sent to this server only.
const secretName = "secret";

/** Exchanges the token of an address from the terminal for the secret. */
export async function begin(token) {
  const response = await fetch("/api/session", { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify({ token }) });
  const body = await response.json().catch(() => ({}));
  if (response.ok) localStorage.setItem(secretName, body.secret);
  else if (!localStorage.getItem(secretName)) throw new Failure(response.status, body);
}

/** Calls `body` when another tab has opened a new address from the terminal. */
export function whenOpenedElsewhere(body) {
  addEventListener("storage", event => { if (event.key === secretName && event.newValue) body(); });
}

async function request(path, options = {}) {
  const headers = { ...options.headers, Authorization: `Bearer ${localStorage.getItem(secretName) ?? ""}` };
  const response = await fetch(`/api/${path}`, { ...options, headers });
  if (!response.ok) throw new Failure(response.status, await response.json().catch(() => ({})));
  return response;
}

export async function get(path, parameters = {}, signal = undefined) { return (await request(path + query(parameters), { signal })).json(); }

export async function post(path, body) { return postText(path, JSON.stringify(body)); }

/** Sends a text of JSON as it is. */
export async function postText(path, body) {
  return (await request(path, { method: "POST", headers: { "Content-Type": "application/json" }, body })).json();
}

export async function text(path) { return (await request(path)).text(); }

/** Lets the browser save what the server exports. */
export async function download(parameters) {
  const link = document.createElement("a");
  link.href = (await post("export", parameters)).path;
  link.download = "";
  document.body.append(link);
  link.click();
  link.remove();
}

/** Returns what the server exports. */
export async function exported(parameters) {
  const response = await fetch((await post("export", parameters)).path);
  if (!response.ok) throw new Failure(response.status, {});
  return response.text();
}

/** Yields the events of a stream as name and value. */
async function* events(body) {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    const parts = (rest + value).split("\n\n");
    rest = parts.pop();
    for (const part of parts) {
      const [, name, data] = part.match(/^event: (.*)\ndata: (.*)$/) ?? [];
      if (name) yield [name, JSON.parse(data)];
    }
  }
}

const pause = milliseconds => new Promise(resolve => setTimeout(resolve, milliseconds));

/**
 * Opens a stream of events. `handlers` has a function for each name of an event, and `lost`, which is called with the error when there
 * is no stream; it is tried again unless the request is wrong. Returns a function that closes it. A tab that cannot be seen has no
 * stream: browsers keep six connections to a host, which its other tabs need.
 */
export function live(parameters, handlers) {
  let current = null;
  const follow = async () => {
    const own = current = new AbortController();
    while (current === own) {
      try {
        const response = await request(`live${query(parameters)}`, { signal: own.signal });
        for await (const [name, event] of events(response.body)) {
          if (current !== own) return;
          if (name === "reset") break;
          if (name === "problem") throw new Failure(500, event);
          handlers[name]?.(event);
        }
      } catch (error) {
        if (current !== own) return;
        handlers.lost?.(error);
        // What the server refuses stays refused, but room for another table may come.
        if (error instanceof Failure && error.status !== 503) return;
        await pause(1000);
      }
    }
  };
  const stop = () => {
    current?.abort();
    current = null;
  };
  const didTurn = () => {
    if (document.hidden) stop();
    else if (!current) follow();
  };
  document.addEventListener("visibilitychange", didTurn);
  didTurn();
  return () => {
    document.removeEventListener("visibilitychange", didTurn);
    stop();
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
