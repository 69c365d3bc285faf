import { json, post } from './api.js';
import { change, other } from './changes.js';
import { fromBase64 } from './octets.js';
import { $, disclosure, el, foreign, many, redraw, say } from './shown.js';

// What is wrong with the text, with the findings of one check in one row. What changes a
// verdict is applied only after the user has seen the change.

const first = 5; // rows that are shown before the user asks for more
const mostShown = 5; // changes of an edit
const icons = { error: '✕', warning: '▲', note: 'i' };
const severities = Object.keys(icons);

let page;
let checks = {}; // by their IDs
let findings = [];
let read = ''; // the text that they are about
let all = false; // rows are shown
let after = null; // the row that gets the focus when an edit is made
const open = new Set(); // the checks whose findings are shown one by one

export function start(p) {
  page = p;
  $('findings-count').addEventListener('click', () => $('findings-title').focus());
  $('findings-more').addEventListener('click', () => {
    all = true;
    draw();
    $('findings').children[first]?.querySelector('button')?.focus();
  });
}

// know tells what each check finds.
export const know = (all) => (checks = all);

// found returns all findings of the text.
export const found = () => findings;

// show shows what is wrong with a text. If nothing has changed, what is shown stays.
export function show(found, of) {
  if (read !== of) for (const box of document.querySelectorAll('.effect')) box.remove(); // it asks about another text
  read = of;
  if (JSON.stringify(found) === JSON.stringify(findings) && $('findings-total').textContent) return;
  findings = found;
  $('findings-count').textContent = $('findings-total').textContent = found.length ? countBySeverity(found) : 'Nothing to fix';
  $('findings-count').className = found.some((f) => f.severity === 'error') ? 'line bad' : 'line';
  $('findings-none').hidden = found.length > 0;
  draw();
}

// count returns how many findings there are, with those that are not listed.
const count = (found) => found.reduce((sum, { more }) => sum + 1 + more, 0);

function countBySeverity(found) {
  const parts = severities.map((severity) => [count(found.filter((f) => f.severity === severity)), severity]);
  return parts.filter(([n]) => n).map(([n, severity]) => many(n, severity)).join(', ');
}

// groups returns the findings by their checks, the worst first.
function groups() {
  const by = Map.groupBy(findings, ({ id }) => id);
  return [...by.values()].sort((a, b) => severities.indexOf(a[0].severity) - severities.indexOf(b[0].severity));
}

function draw() {
  const rows = groups();
  redraw($('findings'), ...(all ? rows : rows.slice(0, first)).map((found) => (count(found) > 1 ? group(found) : finding(found[0], explain(found[0].id)))));
  $('findings-more').hidden = all || rows.length <= first;
  $('findings-more').textContent = `Show ${many(rows.length - first, 'more kind')} of findings`;
  if (after === null) return;
  const buttons = [...$('findings').querySelectorAll('.apply')];
  (buttons[Math.min(after, buttons.length - 1)] ?? $('findings-title')).focus({ preventScroll: true });
  after = null;
}

const severity = ({ severity: s }) => el('span', { class: `severity ${s}` }, el('span', { 'aria-hidden': 'true' }, icons[s]), ' ' + s);

// group returns the row of several findings of one check.
function group(found) {
  const { id, message } = found[0], n = count(found), expanded = open.has(id);
  const same = found.every((f) => f.message === message);
  const list = el('ol', { class: 'plain each', id: `each-${id}`, hidden: !expanded });
  const fill = () => list.replaceChildren(...found.map((f) => finding(f)), ...(n > found.length ? [el('li', { class: 'soft' }, `and ${many(n - found.length, 'more', 'more')} like it`)] : []));
  const toggle = (event) => {
    list.hidden = !list.hidden;
    event.target.setAttribute('aria-expanded', !list.hidden);
    event.target.textContent = list.hidden ? `Show all ${n.toLocaleString('en')}` : 'Show one row';
    if (list.hidden) open.delete(id);
    else open.add(id);
    if (!list.hidden) fill();
  };
  if (expanded) fill();
  const parts = [severity(found[0]), el('span', { class: 'tag' }, `${n.toLocaleString('en')} ×`), foreign(same ? message : checks[id]?.summary ?? message, { class: 'message' }),
    el('button', { type: 'button', class: 'line', 'aria-expanded': String(expanded), 'aria-controls': `each-${id}`, onclick: toggle }, expanded ? 'Show one row' : `Show all ${n.toLocaleString('en')}`)];
  if (found.some((f) => f.edit)) parts.push(el('button', { type: 'button', class: 'apply', 'aria-label': `Apply all: ${id}`, onclick: (event) => ask({ check: id }, event.target) }, 'Apply all'));
  return el('li', { class: 'finding' }, ...parts, explain(id), list);
}

// explain returns what a check finds, with an example, for who asks.
function explain(id) {
  const { summary = '', example } = checks[id] ?? {};
  const shown = example ? [el('p', {}, 'For example:'), el('pre', { tabindex: '0', 'aria-label': 'Example' }, ...example.trimEnd().split('\n').map((line) => el('div', {}, foreign(line))))] : [];
  const explained = disclosure(`What is ${id}?`, el('p', {}, foreign(summary)), ...shown,
    el('p', {}, 'If the line is meant as it is, write above it: ', el('code', {}, `# polite-lint: ignore ${id}`)));
  explained.className = 'explain';
  return explained;
}

function finding(f, ...more) {
  const where = el('button', { type: 'button', class: 'line', onclick: () => page.editor.goTo(f.line, f.column) }, `Line ${f.line}`);
  const parts = [severity(f), where, foreign(f.message, { class: 'message' })];
  if (f.edit) parts.push(el('button', { type: 'button', class: 'apply', 'aria-label': `Apply to line ${f.line}`, onclick: (event) => apply(f, event.target) }, f.edit.changes ? 'Apply…' : 'Apply'));
  return el('li', { class: 'finding' }, ...parts, ...more);
}

// apply makes the edit of a finding, unless the text has changed since: then it may not fit.
// button is what was clicked.
function apply(f, button) {
  if (page.editor.text !== read) return;
  if (f.edit.changes) return ask({ check: f.id, line: f.line, column: f.column }, button);
  made(button, () => page.editor.apply(f.edit));
}

// made makes an edit where the user is: the page does not scroll away.
function made(button, edit) {
  const top = scrollY;
  after = button ? [...$('findings').querySelectorAll('.apply')].indexOf(button) : null;
  edit();
  scrollTo({ top, behavior: 'instant' });
}

// ask asks the command for the text with edits made, and the user if a verdict changes by them.
async function ask(which, button) {
  const of = page.editor.text;
  if (of !== read) return;
  if (button) button.disabled = true;
  try {
    const told = await post('fix', json(which), { text: page.editor.octets() });
    if (page.editor.text !== of) return;
    const use = () => {
      if (page.editor.text !== of) return;
      made(button, () => page.editor.become(fromBase64(told.text)));
      tell(told);
    };
    const delays = told.effect.others.filter(({ kind }) => kind === 'delay');
    if (told.effect.verdicts.length || delays.length || !told.effect.complete) confirm(told, delays, button, use);
    else use();
  } catch (error) {
    if (!page.gone(error)) say($('findings-told'), error.message);
  } finally {
    if (button) button.disabled = false;
  }
}

// confirm shows what edits change. use makes them.
function confirm({ edits, effect }, delays, button, use) {
  const row = button?.closest('.finding') ?? $('findings-ask');
  row.querySelector(':scope > .effect')?.remove();
  const shown = effect.verdicts.slice(0, mostShown).map((c) => change(c));
  const left = effect.verdicts.length - shown.length + effect.more;
  if (left > 0) shown.push(el('li', { class: 'soft' }, `and ${many(left, 'more change')}`));
  const yes = el('button', { type: 'button', class: 'apply yes', onclick: use }, edits > 1 ? `Apply all ${edits.toLocaleString('en')}` : 'Apply');
  const no = el('button', { type: 'button', onclick: () => (box.remove(), (button ?? page.editor.area).focus()) }, 'Leave it');
  const says = effect.verdicts.length ? effect.totals : delays.length ? 'A delay changes' : 'Not all could be compared, so verdicts may change';
  const box = el('div', { class: 'told effect', role: 'group', 'aria-label': 'What this changes' }, el('p', { class: 'total' }, `${says}:`),
    el('ul', { class: 'plain' }, ...shown, ...delays.map(other)), el('div', { class: 'actions' }, yes, no));
  row.append(box);
  yes.focus({ preventScroll: !!button });
}

function tell({ edits, left }) {
  const undo = el('button', { type: 'button', class: 'line', onclick: () => (page.editor.undo(), say($('findings-told'), '')) }, 'Undo');
  say($('findings-told'), `${many(edits, 'edit')} made${left ? `; ${many(left, 'finding')} of this kind left` : ''}.`);
  $('findings-told').append(' ', undo);
}

// next puts the caret at the finding after the caret's line, or before it.
export function next(back) {
  const { line } = page.editor;
  const lines = findings.map((f) => f.line).filter(Boolean).sort((a, b) => a - b);
  if (!lines.length) return;
  const to = back ? lines.findLast((n) => n < line) ?? lines.at(-1) : lines.find((n) => n > line) ?? lines[0];
  page.editor.goTo(to, findings.find((f) => f.line === to).column);
}

// applyHere applies the first finding of the caret's line that says how.
export function applyHere() {
  const here = findings.find((f) => f.edit && f.line === page.editor.line);
  if (here) apply(here, null);
}
