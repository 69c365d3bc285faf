// What a site or a file wrote is text, and never markup. Characters that act where they are
// shown (control characters, marks of direction, what has no width) are shown by their names.

const acts = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\u115f\u1160\u3164\uffa0\ufe00-\ufe0f\u034f\u2800]/u;
const each = new RegExp(acts.source, 'gu');

// name returns the name of a character that acts: U+202E, or the octet that is not UTF-8.
function name(character) {
  const code = character.codePointAt(0);
  const hex = (n, width) => n.toString(16).toUpperCase().padStart(width, '0');
  if (code >= 0xdc80 && code <= 0xdcff) return '\\x' + hex(code - 0xdc00, 2);
  return 'U+' + hex(code === 0xdc00 ? 0 : code, 4);
}

// text shows s, which others wrote, in element.
export function text(element, s) {
  if (!acts.test(s)) {
    element.textContent = s;
    return element;
  }
  element.textContent = '';
  let from = 0;
  for (const { 0: character, index } of s.matchAll(each)) {
    element.append(s.slice(from, index), el('span', { class: 'acts' }, name(character)));
    from = index + character.length;
  }
  element.append(s.slice(from));
  return element;
}

// foreign returns an element of its own direction that shows s, which others wrote.
export const foreign = (s, attributes) => text(el('bdi', attributes), s);

// el returns an element. Its children are elements, or strings of this page's own.
export function el(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith('on')) element.addEventListener(key.slice(2), value);
    else if (value !== undefined && value !== false) element.setAttribute(key, value === true ? '' : value);
  }
  element.append(...children);
  return element;
}

// disclosure returns a button that shows and hides what follows it. A <details> would do, but as
// long as one is on the page, Chromium takes a minute to replace a large text.
export function disclosure(title, ...children) {
  const inside = el('div', { hidden: true }, ...children);
  const toggle = ({ target }) => target.setAttribute('aria-expanded', (inside.hidden = !inside.hidden) ? 'false' : 'true');
  return el('div', {}, el('button', { type: 'button', class: 'line fold', 'aria-expanded': 'false', onclick: toggle }, title), inside);
}

// redraw replaces what a part of the page shows. If a control in it has the focus, its like in the
// new content gets the focus, or the control in its place: a key pressed meanwhile is not lost.
export function redraw(part, ...content) {
  const held = document.activeElement;
  if (!part.contains(held)) return part.replaceChildren(...content);
  const controls = () => [...part.querySelectorAll('button, a[href], [tabindex]')].filter((control) => control.checkVisibility());
  const at = controls().indexOf(held);
  part.replaceChildren(...content);
  const now = controls(), isLike = (control) => control?.textContent === held.textContent && control.ariaLabel === held.ariaLabel;
  const next = isLike(now[at]) ? now[at] : now.find(isLike) ?? now[Math.min(at, now.length - 1)];
  next?.focus({ preventScroll: true });
}

export const $ = (id) => document.getElementById(id);

// say shows a message in element, or hides it if there is none.
export function say(element, message) {
  if (element.textContent === (message || '')) return; // or a screen reader would say it again
  element.hidden = !message;
  text(element, message || '');
}

export const many = (n, one, more = one + 's') => `${n.toLocaleString('en')} ${n === 1 ? one : more}`;

// facts returns rows of a description list: a name, and its lines.
export function facts(entries) {
  return entries.map(({ name, lines }) => el('div', {}, text(el('dt'), name), ...lines.map((line) => el('dd', {}, foreign(line)))));
}
