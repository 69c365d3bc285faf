import { el } from './shown.js';

// A line of robots.txt in colours: its key, its value and its comment, and what findings mean.
// It stands behind the same text in a field, so nothing but colours may differ: a line with
// letters beyond ASCII has none, as parts of it may be shaped together.

const kinds = { 'user-agent': 'agent', allow: 'path', disallow: 'path', sitemap: 'path' };

// paint returns what shows a line of text. under has the places [from, to] to draw a line under.
export function paint(line, under = []) {
  if (/[^\t -~]/.test(line)) return mark([{ from: 0, to: line.length, kind: '' }], line, under);
  return mark(parts(line), line, under);
}

// parts returns the parts of a line, with the kind of each.
function parts(line) {
  const end = line.includes('#') ? line.indexOf('#') : line.length, colon = line.slice(0, end).indexOf(':');
  const key = colon < 0 ? 0 : colon + 1;
  const kind = kinds[line.slice(0, Math.max(colon, 0)).trim().toLowerCase()] ?? 'value';
  return [{ from: 0, to: key, kind: 'key' }, { from: key, to: end, kind: key ? kind : '' }, { from: end, to: line.length, kind: 'comment' }];
}

// mark returns the elements for parts, cut where what is underlined begins and ends.
function mark(all, line, under) {
  const cuts = under.flat();
  return all.flatMap(({ from, to, kind }) => {
    const at = [...new Set([from, ...cuts.filter((cut) => cut > from && cut < to), to])].sort((a, b) => a - b);
    return at.slice(1).map((end, i) => el('span', { class: `${kind} ${isWithin(at[i], under)}` }, harmless(line.slice(at[i], end))));
  });
}

const isWithin = (at, under) => (under.some(([from, to]) => at >= from && at < to) ? 'under' : '');

// harmless replaces the characters that act: those of control and of direction.
const harmless = (text) => text.replace(/[\u0000-\u0008\u000b-\u001f\u007f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, '\ufffd');
