// The state of the page in a link: JSON, deflated, in base64url, in the part of the link that
// a browser sends to nobody.

import { isEnd } from './octets.js';

const longest = 32 * 1024; // of a link that can still be pasted somewhere
const mostNames = 4000; // characters that name crawlers, as many as the fields take
const mostText = 2 * 1024 * 1024; // of a file, as much as the command takes
const mostURLs = 4 * 1024 * 1024; // of all URLs

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
  if (packed.length > longest * 1.5) throw new Error('The link is too long.'); // it may inflate to a thousand times its size
  const octets = Uint8Array.from(atob(packed.replaceAll('-', '+').replaceAll('_', '/')), (c) => c.charCodeAt(0));
  const bounded = new TransformStream(bound(16 * 1024 * 1024));
  const stream = new Blob([octets]).stream().pipeThrough(new DecompressionStream('deflate-raw')).pipeThrough(bounded);
  return valid(JSON.parse(await new Response(stream).text()));
}

// valid returns a state that was read. It fails if that is too large.
export function valid(state) {
  const text = (s, most = mostText) => {
    if (s?.length > most) throw new Error('The link is too large.');
    return typeof s === 'string' ? s : '';
  };
  const file = (f) => ({ text: text(f.text), end: isEnd(f.end) ? f.end : '\n' }); // another end would be text that nobody sees
  return { agent: text(state.agent, mostNames), urls: text(state.urls, mostURLs), ...file(state), several: { kind: text(state.several?.kind, mostNames), names: text(state.several?.names, mostNames) }, before: state.before ? file(state.before) : null };
}

// bound fails when more than max octets have passed.
function bound(max) {
  return { transform: (chunk, to) => ((max -= chunk.length) < 0 ? to.error(new Error('The link is too large.')) : to.enqueue(chunk)) };
}
