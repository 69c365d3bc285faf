// The command answers; the page asks it, and nobody else.

// send sends the parts of a question, and returns the response.
let send = toServer;

// answerBy lets a function answer in place of the server.
export const answerBy = (answer) => (send = answer);

// Gone says that the command does not answer any more.
export class Gone extends Error {}

const utf8 = new TextEncoder();
export const octets = (text) => utf8.encode(text);

// form returns the body of a form. A FormData of Blobs would do, but the browser takes 50 ms
// longer to send a large one.
function form(parts, boundary) {
  const pieces = [];
  for (const [name, content] of Object.entries(parts)) {
    pieces.push(octets(`--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n`), content, octets('\r\n'));
  }
  return joined(...pieces, octets(`--${boundary}--\r\n`));
}

// joined returns arrays of octets as one.
function joined(...arrays) {
  const all = new Uint8Array(arrays.reduce((sum, a) => sum + a.length, 0));
  let at = 0;
  for (const a of arrays) {
    all.set(a, at);
    at += a.length;
  }
  return all;
}

// json returns the octets of a value in JSON.
export const json = (value) => octets(JSON.stringify(value));

// post asks the command. The request is octets of JSON; the parts are octets by their names.
// answer reads the response.
export async function post(path, request, parts = {}, { signal, answer = (r) => r.json() } = {}) {
  let response;
  try {
    response = await send(path, { request, ...parts }, signal);
    if (response.ok) return await answer(response);
  } catch (error) {
    if (signal?.aborted) throw error;
    throw error instanceof TypeError ? new Gone() : error;
  }
  const told = await response.json().catch(() => ({}));
  throw new Error(told.error || `The command answered with status ${response.status}.`);
}

function toServer(path, parts, signal) {
  const boundary = `polite-${crypto.randomUUID()}`;
  const headers = { 'Content-Type': `multipart/form-data; boundary=${boundary}` };
  return fetch('api/' + path, { method: 'POST', headers, body: form(parts, boundary), signal });
}

// Latest asks one question at a time: a new one aborts the one before.
export class Latest {
  #asking;

  async ask(path, request, parts) {
    this.stop();
    const asking = (this.#asking = new AbortController());
    try {
      return await post(path, request, parts, { signal: asking.signal });
    } catch (error) {
      if (asking.signal.aborted) return null; // there is a newer question
      throw error;
    }
  }

  stop() {
    this.#asking?.abort();
  }
}
