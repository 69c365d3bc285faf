// The command answers; the page asks it, and nobody else.

// Gone says that the command does not answer any more.
export class Gone extends Error {}

// post asks the command. The parts are the request and octets by their names; answer reads
// the response.
export async function post(path, request, parts = {}, { signal, answer = (r) => r.json() } = {}) {
  const form = new FormData();
  form.append('request', request instanceof Blob ? request : new Blob([JSON.stringify(request)]));
  for (const [name, octets] of Object.entries(parts)) form.append(name, new Blob([octets]));
  let response;
  try {
    response = await fetch('api/' + path, { method: 'POST', body: form, signal });
    if (response.ok) return await answer(response);
  } catch (error) {
    if (signal?.aborted) throw error;
    throw error instanceof TypeError ? new Gone() : error;
  }
  const told = await response.json().catch(() => ({}));
  throw new Error(told.error || `The command answered with status ${response.status}.`);
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
