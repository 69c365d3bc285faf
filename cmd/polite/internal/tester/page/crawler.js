import { $, el, foreign, say } from './shown.js';

// The crawler is picked by an input with a list: the combobox of the ARIA practices.
const input = $('agent');
const list = $('crawlers');
const opener = $('agent-open');
let crawlers = [];
let shown = [];
let active = -1;

// start fills the list. changed is called when another crawler is picked by the list; what is
// typed is an input event as of any field.
export function start(known, changed) {
  crawlers = known;
  input.addEventListener('input', () => open(last()));
  input.addEventListener('keydown', (event) => key(event, changed));
  input.addEventListener('blur', close);
  opener.addEventListener('mousedown', (event) => event.preventDefault()); // the input keeps the focus
  opener.addEventListener('click', () => {
    input.focus();
    if (list.hidden) open('');
    else close();
  });
  list.addEventListener('mousedown', (event) => event.preventDefault());
  list.addEventListener('click', (event) => {
    const option = event.target.closest('[role=option]');
    if (option) pick(Number(option.dataset.index), changed);
  });
}

// last returns the last of the names in the input, which is the one that is being typed.
const last = () => input.value.split(',').at(-1).trim().toLowerCase();

function open(part) {
  shown = crawlers.filter(({ name, owner, kinds, purpose }) => [name, owner, purpose, ...kinds].some((text) => text.toLowerCase().includes(part)));
  list.replaceChildren(...shown.map(option));
  expand(shown.length > 0);
  activate(-1);
}

// about says whose a crawler is, what it is for, and whether its name reaches somebody.
const about = ({ owner, purpose, status }) => [owner, purpose, ...(status ? [status === 'retired' ? 'no longer used' : 'never announced'] : [])].join(' · ');

const option = (crawler, index) =>
  el('li', { role: 'option', id: `crawler-${index}`, 'data-index': index, 'aria-selected': 'false' }, foreign(crawler.name, { class: 'name' }), foreign(about(crawler), { class: 'soft' }));

function expand(on) {
  list.hidden = !on;
  for (const element of [input, opener]) element.setAttribute('aria-expanded', on);
}

function close() {
  expand(false);
  activate(-1);
}

function activate(index) {
  list.children[active]?.setAttribute('aria-selected', 'false');
  active = index;
  if (index < 0) return input.removeAttribute('aria-activedescendant');
  list.children[index].setAttribute('aria-selected', 'true');
  list.children[index].scrollIntoView({ block: 'nearest' });
  input.setAttribute('aria-activedescendant', list.children[index].id);
}

function key(event, changed) {
  const count = shown.length;
  if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
    if (list.hidden) open('');
    else if (count) activate((active + (event.key === 'ArrowDown' ? 1 : active < 0 ? 0 : -1) + count) % count);
  } else if (event.key === 'Enter' && active >= 0) pick(active, changed);
  else if (event.key === 'Escape' && !list.hidden) close();
  else return;
  event.preventDefault();
}

function pick(index, changed) {
  const before = input.value.split(',').slice(0, -1).map((name) => name.trim());
  input.value = [...before, shown[index].name].join(', ');
  close();
  changed();
}

// tell shows what is known of the crawler that was judged for.
export function tell({ known, doubt }) {
  say($('doubt'), doubt);
  $('known').hidden = !known;
  if (!known) return;
  const { name, manners, source, looked } = known;
  const lines = [el('p', {}, foreign(name, { class: 'name' }), ' ', foreign(about(known)))];
  if (manners) lines.push(el('p', {}, 'robots.txt: ', foreign(manners)));
  if (/^https?:\/\//.test(source)) {
    lines.push(el('p', { class: 'soft' }, el('a', { href: source, target: '_blank', rel: 'noreferrer noopener' }, 'What its owner says'), ` (opens the site; read on ${looked})`));
  }
  $('known').replaceChildren(...lines);
}
