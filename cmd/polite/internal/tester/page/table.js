import { json, post } from './api.js';
import { fromBase64 } from './octets.js';
import { verdict } from './panels.js';
import { $, el, foreign, many, redraw, say } from './shown.js';

// The verdicts for several crawlers, in a table of URLs by crawlers. Those that go by the same
// rules share a column.

const mostNames = 2; // of a column: the head is to be no taller than the table
let page;
let last = ''; // the table that is shown, in JSON

export function start(p) {
  page = p;
  $('several').addEventListener('change', choose);
  $('several-names').addEventListener('input', page.changed);
  $('parted').addEventListener('click', part);
}

// state returns what the table is for.
export const state = () => ({ kind: $('several').value, names: $('several-names').value });

// show puts back what state has returned.
export function show({ kind = '', names = '' } = {}) {
  $('several').value = kind;
  if ($('several').selectedIndex < 0) $('several').value = '';
  $('several-names').value = names;
  choose();
}

function choose() {
  $('several-own').hidden = $('several').value !== 'own';
  page.changed();
}

// asked returns the crawlers that the table is to be for, undefined for none.
export function asked() {
  const kind = $('several').value, names = $('several-names').value.split(/[\s,;]+/).filter(Boolean);
  if (kind === 'own') return names.length ? { names } : undefined;
  return kind ? { kind } : undefined;
}

// draw shows a table about URLs, or none.
export function draw(table, urls) {
  say($('table-error'), table?.error);
  $('table-side').hidden = !table || Boolean(table.error);
  if ($('table-side').hidden || isShown(table, urls)) return;
  const { columns, rows, more, more_crawlers: beyond } = table;
  redraw($('table-head'), el('th', { scope: 'col' }, 'URL'), ...columns.map(head));
  redraw($('table-body'), ...rows.map((cells, i) => row(urls[i], cells)));
  const left = [more && `${many(more, 'more URL')} ${more === 1 ? 'is' : 'are'} counted above`, beyond && `${many(beyond, 'more group')} of crawlers not shown`];
  say($('table-more'), left.filter(Boolean).join('; '));
}

// isShown says whether a table is the one that is shown: few keys change it.
function isShown(table, urls) {
  const now = JSON.stringify([table, urls.slice(0, table.rows.length)]), same = now === last;
  last = now;
  return same;
}

function head({ crawlers, group, totals }) {
  const names = crawlers.map((name) => (name === '*' ? 'any other' : name));
  const more = names.length - mostNames;
  const title = more > 0 ? `${names.slice(0, mostNames).join(', ')} and ${more} more` : names.join(', ');
  const counts = `${totals.allowed.toLocaleString('en')} ✓ ${totals.disallowed.toLocaleString('en')} ✕`;
  const says = group === '*' ? 'by *' : group ? `by ${group}` : 'by no group';
  return el('th', { scope: 'col' }, el('button', { type: 'button', class: 'line', title: names.join(', '), 'aria-label': `Choose ${names[0]}: ${title}`, onclick: () => page.choose(crawlers[0]) }, foreign(title)),
    el('span', { class: 'soft counts', 'aria-label': `${totals.allowed} allowed, ${totals.disallowed} disallowed` , role: 'img' }, counts), foreign(says, { class: 'soft' }));
}

const row = (url, cells) => el('tr', {}, el('th', { scope: 'row' }, foreign(url, { class: 'url', dir: 'ltr' })), ...cells.map(cell));

const cell = ({ verdict: kind, line }) =>
  el('td', {}, verdict(kind), ...(line ? [' ', el('button', { type: 'button', class: 'line', 'aria-label': `Go to line ${line}`, onclick: () => page.editor.goTo(line) }, `line ${line}`)] : []));

// part writes groups that keep AI training out and let search in, and shows what they do.
async function part() {
  const of = page.editor.text;
  try {
    const told = await post('parted', json({ out: 'ai-training', in: ['search', 'ai-search'] }), { text: page.editor.octets() });
    if (page.editor.text !== of) return;
    page.compare();
    page.editor.become(fromBase64(told.text));
    $('several').value = 'known';
    choose();
    const stay = told.stay ? ` Some pages stay open to ${told.stay.join(', ')}.` : '';
    say($('parted-told'), `The groups are at the end of the file.${told.edits > 1 ? ' Lines that said otherwise are comments now.' : ''}${stay} Changes shows what they do; Ctrl+Z takes them back.`);
  } catch (error) {
    if (!page.gone(error)) say($('parted-told'), error.message);
  }
}
