// The state of the page in a link: JSON, deflated, in base64url, in the part of the link that
// a browser sends to nobody.

const longest = 32 * 1024; // of a link that can still be pasted somewhere

async function through(transform, octets) {
  return new Uint8Array(await new Response(new Blob([octets]).stream().pipeThrough(transform)).arrayBuffer());
}

// pack returns state for a link. It fails if that is too long.
export async function pack(state) {
  const octets = await through(new CompressionStream('deflate-raw'), new TextEncoder().encode(JSON.stringify(state)));
  if (octets.length > longest) {
    throw new Error('This is too much for a link. Save the file and the URLs instead.');
  }
  let binary = '';
  for (const octet of octets) binary += String.fromCharCode(octet);
  return btoa(binary).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '');
}

// unpack returns the state that pack has packed.
export async function unpack(packed) {
  const octets = Uint8Array.from(atob(packed.replaceAll('-', '+').replaceAll('_', '/')), (c) => c.charCodeAt(0));
  const bounded = new TransformStream(bound(16 * 1024 * 1024));
  const stream = new Blob([octets]).stream().pipeThrough(new DecompressionStream('deflate-raw')).pipeThrough(bounded);
  const state = JSON.parse(await new Response(stream).text());
  const text = (s) => (typeof s === 'string' ? s : '');
  return { agent: text(state.agent), urls: text(state.urls), text: text(state.text), end: text(state.end) || '\n', before: state.before ? { text: text(state.before.text), end: text(state.before.end) || '\n' } : null };
}

// bound fails when more than max octets have passed.
function bound(max) {
  return { transform: (chunk, to) => ((max -= chunk.length) < 0 ? to.error(new Error('The link is too large.')) : to.enqueue(chunk)) };
}
