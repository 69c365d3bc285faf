// A robots.txt is octets; a <textarea> holds text, and turns every line end into "\n". These
// functions lead from one to the other without loss, so that a file is judged as it is:
//
// - An octet that is not UTF-8 is a lone surrogate, U+DC80 to U+DCFF, and so is NUL: U+DC00.
// - A character of direction, which would change the order in which others are shown, is a lone
//   surrogate from U+DC10.
// - The line end that most lines have is "\n". Each other has a lone surrogate before it.

const ends = { '\r': '\udc0d', '\n': '\udc0a', '\r\n': '\udc0e' };
const octetsOf = { '\udc0d': '\r', '\udc0a': '\n', '\udc0e': '\r\n' };
export const isEnd = (s) => Object.hasOwn(ends, s);

const directions = '\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069';
const direction = new RegExp(`[${directions}]`, 'g');
const stands = /[\udc10-\udc1b]/gu; // for a character of direction

// still returns a text in which nothing changes the order of the rest.
export const still = (text) => (text.search(direction) < 0 ? text : text.replace(direction, (c) => String.fromCharCode(0xdc10 + directions.indexOf(c))));

// moved returns the text that still has made still.
export const moved = (text) => (text.search(stands) < 0 ? text : text.replace(stands, (c) => directions[c.charCodeAt(0) - 0xdc10]));

// named returns the names of the characters of direction in a still text, with their lines.
export function named(text) {
  if (text.search(stands) < 0) return [];
  return text.split('\n').flatMap((line, i) => [...line.matchAll(stands)].map(([c]) => `U+${moved(c).charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')} in line ${i + 1}`));
}

// decode returns the text of octets, with a line end or, if there is none, with the one that
// most of its lines have.
export function decode(octets, end) {
  const text = decodeLine(octets);
  end ??= usualEnd(text);
  if (end === '\n' && !text.includes('\r')) return { text, end };
  return { text: text.replace(/\r\n|\r|\n/g, (e) => (e === end ? '' : ends[e]) + '\n'), end };
}

function usualEnd(text) {
  if (!text.includes('\r')) return '\n';
  const count = { '\r\n': 0, '\r': 0, '\n': 0 };
  for (const [end] of text.matchAll(/\r\n|\r|\n/g)) count[end]++;
  return Object.keys(count).reduce((a, b) => (count[b] > count[a] ? b : a));
}

// encode returns the octets that decode has read.
export function encode(text, end = '\n') {
  const whole = text.isWellFormed();
  if (!whole) text = text.replace(/([\udc0a\udc0d\udc0e]?)\n/gu, (_, mark) => octetsOf[mark] ?? end);
  else if (end !== '\n') text = text.replaceAll('\n', end);
  return encodeLine(text, whole);
}

// decodeLine returns the text of octets, whatever their line ends.
export function decodeLine(octets) {
  try {
    return still(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(octets).replaceAll('\0', '\udc00'));
  } catch {
    return still(decodeSlowly(octets).replaceAll('\0', '\udc00'));
  }
}

// decodeSlowly decodes what is UTF-8 in runs, between the octets that are not.
function decodeSlowly(octets) {
  const utf8 = new TextDecoder('utf-8', { ignoreBOM: true });
  let text = '', run = 0;
  for (let i = 0; i < octets.length;) {
    const n = runeLength(octets, i);
    if (n > 0) {
      i += n;
      continue;
    }
    text += utf8.decode(octets.subarray(run, i)) + String.fromCharCode(0xdc00 + octets[i]);
    run = ++i;
  }
  return text + utf8.decode(octets.subarray(run));
}

// runeLength returns the number of octets of the character at i, 0 if there is none.
function runeLength(octets, i) {
  const a = octets[i], b = octets[i + 1];
  const tail = (n) => {
    for (let k = 1; k < n; k++) if ((octets[i + k] & 0xc0) !== 0x80) return 0; // undefined & 0xc0 is 0
    return n;
  };
  if (a < 0x80) return 1;
  if (a >= 0xc2 && a <= 0xdf) return tail(2);
  if (a >= 0xe0 && a <= 0xef) return (a === 0xe0 && b < 0xa0) || (a === 0xed && b > 0x9f) ? 0 : tail(3);
  if (a >= 0xf0 && a <= 0xf4) return (a === 0xf0 && b < 0x90) || (a === 0xf4 && b > 0x8f) ? 0 : tail(4);
  return 0;
}

// noOctet finds what encodeLine leaves out: a mark of a line end that was edited away.
export const noOctet = /[\udc01-\udc0f\udc1c-\udc7f]/gu;

// encodeLine returns the octets of text, whatever its line ends.
export function encodeLine(text, whole = text.isWellFormed()) {
  const utf8 = new TextEncoder();
  if (whole) return utf8.encode(text);
  text = moved(text);
  const octets = new Uint8Array(text.length * 3);
  let n = 0, from = 0;
  for (const { index } of text.matchAll(/[\udc00-\udcff]/gu)) { // with "u", only those that are alone
    n += utf8.encodeInto(text.slice(from, index), octets.subarray(n)).written;
    const octet = text.charCodeAt(index) - 0xdc00;
    if (octet === 0 || octet >= 0x80) octets[n++] = octet;
    from = index + 1;
  }
  n += utf8.encodeInto(text.slice(from), octets.subarray(n)).written;
  return octets.subarray(0, n);
}

// fromBase64 returns the octets of base64.
export const fromBase64 = (s) => Uint8Array.from(atob(s), (c) => c.charCodeAt(0));
