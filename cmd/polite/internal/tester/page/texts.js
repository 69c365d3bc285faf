import { valid } from './state.js';
import { notice } from './share.js';
import { $, disclosure, el, foreign, many } from './shown.js';

// No text is lost. Those that were replaced stay in a list, and the storage of the tab has a
// draft of all, which a reload leaves as it is.

const mostTexts = 20; // in the list
const mostLength = 2e6; // of them together: the storage of a tab is small
const pause = 1500; // milliseconds without a change until the draft is stored, when the browser has time for it
const key = `draft ${location.pathname}`; // the path is a secret, so another tester has another draft

let page;
let name = ''; // of the file, or its URL; "" for none
let handle; // of the file, if the page may write to it
let edited = false; // since the text was loaded or saved
let clean; // the text before the first edit since then
let typed = false; // by the user, into this text
let earlier = []; // texts, the last one first

export function start(p) {
  page = p;
  page.editor.area.addEventListener('beforeinput', () => edited || (clean = page.editor.text));
  page.editor.area.addEventListener('input', () => {
    edited = page.editor.text !== clean; // not if an undo brings it back
    typed = true;
  });
  addEventListener('beforeunload', (event) => edited && event.preventDefault()); // the browser asks
  addEventListener('pagehide', store);
  document.addEventListener('visibilitychange', () => document.hidden && store());
  document.addEventListener('input', soon);
}

// called gives the text a name.
export function called(n) {
  name = n;
  $('file-title').replaceChildren(name ? foreign(name) : 'robots.txt');
  page.named();
}

export const nameOf = () => name;
export const handleOf = () => handle;

// saved says that the user has the text as it is now.
export const saved = () => (edited = false);

// replace keeps the text in the list, and puts another in its place. more is what else is
// replaced, and comes back with it.
export function replace(next, more = {}) {
  const kept = keep(more);
  put(next);
  const mine = earlier.find((entry) => entry.typed) ?? earlier[0];
  if (kept) notice('The text was replaced.', el('button', { type: 'button', onclick: () => bring(mine) }, 'Bring mine back'));
}

// keep puts the text into the list, and says whether it was worth that.
function keep(more) {
  const { text, end } = page.editor;
  if (!text.trim()) return false;
  earlier = [{ text, end, name, handle, edited, typed, at: Date.now(), ...more }, ...earlier.filter((entry) => entry.text !== text)].slice(0, mostTexts);
  while (earlier.length > 1 && earlier.reduce((sum, { text }) => sum + text.length, 0) > mostLength) earlier.pop();
  list();
  return true;
}

function put(entry) {
  page.put(entry);
  called(entry.name ?? '');
  handle = entry.handle;
  edited = Boolean(entry.edited);
  typed = Boolean(entry.typed);
  soon();
}

// bring puts a text of the list in the place of the one of now, which takes its place there.
function bring(entry) {
  const { agent, urls } = page.state();
  keep(entry.urls === undefined ? {} : { agent, urls });
  earlier = earlier.filter((e) => e.text !== entry.text);
  put(entry);
  notice('');
  list();
  page.editor.area.focus();
}

function list() {
  $('earlier').hidden = earlier.length === 0;
  $('earlier').replaceChildren(disclosure(`Earlier texts: ${earlier.length}`, el('ul', { class: 'plain' }, ...earlier.map(row))));
}

function row(entry) {
  const { text, at } = entry;
  const time = new Date(at).toLocaleTimeString('en', { timeStyle: 'short' });
  const what = `${entry.edited ? 'edited, ' : ''}${many(text.split('\n').length, 'line')}, until ${time}`;
  return el('li', {}, el('button', { type: 'button', class: 'line', onclick: () => bring(entry) }, 'Bring back'), foreign(entry.name || 'robots.txt', { class: 'name' }), el('span', { class: 'soft' }, what));
}

let storing;
function soon() {
  clearTimeout(storing);
  storing = setTimeout(() => requestIdleCallback(store), pause);
}

// store stores the draft, without the list if that is too much. A browser may have no storage.
function store() {
  clearTimeout(storing);
  const draft = { ...page.state(), name, edited, typed };
  for (const more of [{ earlier }, {}]) {
    try {
      return sessionStorage.setItem(key, JSON.stringify({ ...draft, ...more }));
    } catch {} // the next one is smaller
  }
}

// draft returns what the tab had before, null for nothing.
export function draft() {
  try {
    const { name, edited, typed, earlier = [], ...state } = JSON.parse(sessionStorage.getItem(key));
    return { ...valid(state), name: String(name ?? ''), edited, typed, earlier: earlier.map(entryOf).slice(0, mostTexts) };
  } catch {
    return null;
  }
}

// entryOf returns an entry of the list that was stored.
const entryOf = ({ name, edited, typed, at, urls, agent, ...file }) => {
  const { text, end } = valid(file), more = urls === undefined ? {} : { urls: String(urls), agent: String(agent) };
  return { text, end, name: String(name ?? ''), edited, typed, at: Number(at) || 0, ...more };
};

// restore puts back what a draft has besides the state of the page.
export function restore(draft) {
  ({ edited, typed, earlier } = draft);
  called(draft.name);
  list();
}
