import { decode, decodeLine, encode, encodeLine, noOctet, still } from './octets.js';
import { paint } from './paint.js';
import { el } from './shown.js';

const longest = 2000; // characters of a line in colours
const mostUnder = 20; // findings of a line that are underlined
const mostTyped = 10_000; // characters: to type many lines takes a browser seconds

// plain makes markup of a text, in which nothing is a tag.
const escape = { createHTML: (text) => text.replace(/[&<>]/g, (c) => `&#${c.charCodeAt(0)};`) };
const plain = globalThis.trustedTypes?.createPolicy('plain', escape) ?? escape;

// keepStill keeps characters of direction out of a text field: others stand for them, which
// change the order of nothing.
export function keepStill(area) {
  area.addEventListener('beforeinput', (event) => {
    if (!event.data || event.data.length > mostTyped || event.isComposing || still(event.data) === event.data) return;
    event.preventDefault();
    document.execCommand('insertText', false, still(event.data));
  });
  area.addEventListener('input', () => {
    if (still(area.value) !== area.value) area.value = still(area.value); // what was not typed
  });
}

// An Editor is a <textarea>, so that typing, undo, selection and screen readers work as the
// browser has them. Beside and behind it, only the lines that can be seen are drawn.
export class Editor {
  #root;
  #area;
  #gutter;
  #behind;
  #end = '\n';
  #roles = new Map(); // from a line to what it is to the group
  #worst = new Map(); // from a line to the worst of its findings
  #found = new Map(); // from a line to the places of its findings, in octets
  #pairs = []; // of lines that another text has, too, with theirs: indices in the order of both
  #differs = new Set(); // indices of the other lines, while there is another text
  #rows = [];
  #starts = null; // where each line begins in the text; null if that is not known
  #octets = null;

  constructor(root) {
    this.#root = root;
    this.#area = root.querySelector('textarea');
    this.#gutter = root.querySelector('.gutter');
    this.#behind = root.querySelector('.behind');
    keepStill(this.#area);
    this.#area.addEventListener('input', () => this.#changed());
    this.#area.addEventListener('scroll', () => this.#draw(), { passive: true });
    new ResizeObserver(() => this.#draw()).observe(this.#area);
  }

  get area() {
    return this.#area;
  }

  get text() {
    return this.#area.value;
  }

  get end() {
    return this.#end;
  }

  // follow scrolls this editor as the other one scrolls, and the other as this, so that a line in the
  // middle of one stands beside its like.
  follow(other) {
    let led = null; // the area that was led, and where to, until it tells of it
    const stands = (area, { top, left }) => area.scrollTop === top && area.scrollLeft === left;
    const lead = (from, to) => from.area.addEventListener('scroll', () => {
      if (led?.area === from.area && stands(from.area, led)) return (led = null);
      const was = { top: to.area.scrollTop, left: to.area.scrollLeft }, height = from.#lineHeight();
      const middle = Math.floor((from.area.scrollTop + from.area.clientHeight / 2) / height);
      const top = from.area.scrollTop + (from.#likeOf(middle) - middle) * height;
      to.area.scrollTo({ top, left: from.area.scrollLeft, behavior: 'instant' });
      led = stands(to.area, was) ? null : { area: to.area, top: to.area.scrollTop, left: to.area.scrollLeft };
    }, { passive: true });
    lead(this, other);
    lead(other, this);
  }

  // beside takes the pairs of lines that this text and another share: the rest is marked in both. Without
  // pairs, nothing is.
  beside(other, pairs = null) {
    this.#pair(pairs);
    other.#pair(pairs?.map(([a, b]) => [b, a]) ?? null);
    this.#area.dispatchEvent(new Event('scroll')); // the other follows
  }

  #pair(pairs) {
    this.#pairs = pairs ?? [];
    this.#differs = new Set(pairs && this.text.split('\n').keys());
    for (const [line] of this.#pairs) this.#differs.delete(line);
    this.#soon();
  }

  // #likeOf returns the line of the other text that stands beside a line: its pair, or as far below the pair
  // above, but for what comes before the next.
  #likeOf(line) {
    let low = 0, high = this.#pairs.length; // of the first pair below the line
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#pairs[middle][0] <= line) low = middle + 1;
      else high = middle;
    }
    const [mine, theirs] = this.#pairs[low - 1] ?? [0, 0];
    return Math.min(theirs + line - mine, this.#pairs[low]?.[1] ?? Infinity);
  }

  // octets returns the file as it is.
  octets() {
    return (this.#octets ??= encode(this.text, this.#end));
  }

  // load shows a file's octets.
  load(octets) {
    const { text, end } = decode(octets);
    this.set(text, end);
  }

  set(text, end = '\n') {
    this.#end = end;
    this.#area.value = still(text);
    this.#area.setSelectionRange(0, 0);
    this.#area.scrollTop = 0;
    this.#changed();
  }

  #changed() {
    this.#octets = null;
    this.#starts = null;
    this.#soon();
  }

  // mark marks lines: those that name the group, its rules, the one that decides, and those
  // with findings.
  mark({ named = [], rules = [], decides = 0, findings = [] }) {
    this.#roles = new Map(rules.map((line) => [line, 'rule']));
    for (const line of named) this.#roles.set(line, 'named');
    if (decides) this.#roles.set(decides, 'decides');
    this.#worst.clear();
    const worse = ['', 'note', 'warning', 'error'];
    this.#found = Map.groupBy(findings, ({ line }) => line);
    for (const { line, severity } of findings) {
      if (worse.indexOf(severity) > worse.indexOf(this.#worst.get(line) ?? '')) this.#worst.set(line, severity);
    }
    this.#soon();
  }

  // #soon draws with the next frame: to ask where the text has scrolled to is to lay it out, and
  // what is asked of the command should not wait for it.
  #waiting = 0;
  #soon() {
    this.#waiting ||= requestAnimationFrame(() => {
      this.#waiting = 0;
      this.#draw();
    });
  }

  // #lines returns where each line begins, and where the next would begin after the last.
  #lines() {
    if (this.#starts) return this.#starts;
    const { text } = this, starts = [0];
    for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) starts.push(at + 1);
    starts.push(text.length + 1);
    return (this.#starts = starts);
  }

  #draw() {
    const height = this.#lineHeight(), lines = this.#lines(), { text } = this, { scrollTop, scrollLeft, clientHeight } = this.#area;
    const first = Math.floor(scrollTop / height);
    const count = Math.max(0, Math.min(Math.ceil(clientHeight / height) + 1, lines.length - 1 - first));
    const seen = Array.from({ length: count }, (_, i) => text.slice(lines[first + i], lines[first + i + 1] - 1));
    while (this.#rows.length < count) this.#addRow();
    this.#root.classList.toggle('plain', seen.some((line) => line.length > longest));
    this.#gutter.style.transform = this.#behind.style.transform = `translateY(${first * height - scrollTop}px)`;
    this.#behind.style.setProperty('--left', `${-scrollLeft}px`);
    this.#rows.forEach((row, i) => this.#drawRow(row, first + i + 1, seen[i]));
  }

  #addRow() {
    const row = { number: el('div'), text: el('span', { class: 'text' }), painted: '' };
    row.line = el('div', {}, row.text);
    this.#gutter.append(row.number);
    this.#behind.append(row.line);
    this.#rows.push(row);
  }

  // #drawRow draws a line that is written so, or nothing.
  #drawRow(row, n, written) {
    const { number, line } = row, role = this.#roles.get(n) ?? '', severity = this.#worst.get(n) ?? '';
    number.hidden = line.hidden = written === undefined;
    if (line.hidden) return;
    if (number.textContent !== String(n)) number.textContent = n;
    const changed = this.#differs.has(n - 1) ? 'changed' : '';
    number.className = `${severity} ${role} ${changed}`;
    line.className = `${role} ${changed}`;
    const shown = written.slice(0, longest);
    this.#paint(row, shown, this.#under(shown, n));
  }

  // #paint shows a line in colours, unless it is what the row shows.
  #paint(row, written, under) {
    const painted = `${under}\n${written}`;
    if (row.painted === painted) return;
    row.painted = painted;
    row.text.replaceChildren(...paint(written, under));
  }

  // #under returns the places in a line that its findings mean: what they would replace, or
  // else all from where they begin to the comment.
  #under(written, n) {
    return (this.#found.get(n) ?? []).slice(0, mostUnder).map(({ column, edit }) => {
      const replaces = edit?.line === n && edit.to > edit.from;
      const from = this.#length(written, replaces ? edit.from : Math.max(column - 1, 0));
      const comment = written.indexOf('#', from + 1), end = comment < 0 ? written.length : comment;
      const to = written.slice(0, replaces ? this.#length(written, edit.to) : end).trimEnd().length;
      return [Math.min(from, to - 1), to];
    });
  }

  #height = 0;
  #lineHeight() {
    return (this.#height ||= parseFloat(getComputedStyle(this.#area).lineHeight));
  }

  // line returns the number of the line where the caret is.
  get line() {
    return this.text.slice(0, this.#area.selectionStart).split('\n').length;
  }

  // #place returns where a line begins and ends in the text.
  #place(line) {
    const lines = this.#lines(), n = Math.min(line, lines.length - 1);
    return { from: lines[n - 1], to: lines[n] - 1 };
  }

  // show scrolls to a line, if it is out of sight.
  show(line) {
    const top = (line - 1) * this.#lineHeight(), { scrollTop, clientHeight } = this.#area;
    if (top >= scrollTop && top + 2 * this.#lineHeight() <= scrollTop + clientHeight) return;
    this.#area.scrollTop = Math.max(0, top - clientHeight / 2);
    this.#area.scrollLeft = 0;
  }

  // goTo shows a line and puts the caret at its column, counted in octets from 1.
  goTo(line, column = 1) {
    const { from, to } = this.#place(line);
    const at = from + this.#length(this.text.slice(from, to), column - 1);
    this.#area.focus({ preventScroll: true });
    this.#area.setSelectionRange(at, at);
    this.#area.scrollIntoView({ block: 'nearest' });
    this.show(line);
  }

  // #length returns the length in the text of so many octets of a line.
  #length(line, octets) {
    let length = decodeLine(encodeLine(line).subarray(0, octets)).length;
    for (const { index } of line.matchAll(noOctet)) if (index < length) length++;
    return length;
  }

  // apply makes an edit of a line, in octets of it, so that the browser can undo it.
  apply({ line, from, to, text }) {
    const place = this.#place(line), old = this.text.slice(place.from, place.to);
    this.#type(place.from + this.#length(old, from), place.from + this.#length(old, to), text);
    this.show(line);
  }

  // become makes the text that of octets, as one step that the browser can undo: what both texts
  // begin and end with stays.
  become(octets) {
    const { text: old } = this, now = decode(octets, this.#end).text, { scrollTop } = this.#area;
    const most = Math.min(old.length, now.length);
    let from = 0, tail = 0;
    while (from < most && old[from] === now[from]) from++;
    while (tail < most - from && old.at(-1 - tail) === now.at(-1 - tail)) tail++;
    if (/[\ud800-\udbff]/.test(old[from - 1])) from--; // no half of a character
    if (tail && /[\udc00-\udfff]/.test(old.at(-tail))) tail--;
    this.#type(from, old.length - tail, now.slice(from, now.length - tail));
    if (this.text !== now) this.#area.setRangeText(now, 0, this.text.length); // a browser that types otherwise
    this.#area.scrollTop = scrollTop;
  }

  // undo undoes the last edit, or redoes it, also if the focus is elsewhere.
  undo(command = 'undo') {
    const focused = document.activeElement;
    this.#area.focus({ preventScroll: true });
    document.execCommand(command);
    if (focused !== document.body) focused.focus({ preventScroll: true });
  }

  // add adds lines at the end, after a blank line, and leaves the caret there.
  add(lines) {
    const { text } = this;
    const gap = text === '' || text.endsWith('\n\n') ? '' : text.endsWith('\n') ? '\n' : '\n\n';
    this.#type(text.length, text.length, gap + lines);
    this.#area.scrollIntoView({ block: 'nearest' });
    this.show(this.line);
  }

  // #type replaces a part of the text as if it were typed. Chromium types line by line, which takes
  // it minutes for a large file, so it gets many lines as markup.
  #type(from, to, text) {
    this.#area.focus({ preventScroll: true });
    this.#area.setSelectionRange(from, to);
    // The command is called deprecated, but nothing else leaves the undo of a text field as it is.
    if (!text) document.execCommand('delete');
    else if (!text.includes('\n') || !document.execCommand('insertHTML', false, plain.createHTML(text))) document.execCommand('insertText', false, text);
  }
}
