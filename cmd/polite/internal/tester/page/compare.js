import { json, Latest } from './api.js';
import { $, el, many, say } from './shown.js';
import { change, other } from './changes.js';

// The text of before stays beside the editor, and the command tells what has changed since.
const pause = 150; // milliseconds; a comparison is more work than verdicts
const mostShown = 200;
const comparing = new Latest();
let page;
let on = false;
let timer;

export function start(p) {
  page = p;
  $('compare').addEventListener('click', () => (on ? stop() : keep(page.editor.text, page.editor.end)));
  for (const id of ['compare-agents', 'compare-urls']) $(id).addEventListener('change', changed);
}

// keep keeps a text as the one of before.
export function keep(text, end) {
  page.before.set(text, end);
  show(true);
  changed();
}

// keepForAll keeps the text of now, and compares for all crawlers that a file names.
export function keepForAll() {
  $('compare-agents').value = '*all*';
  keep(page.editor.text, page.editor.end);
}

export function stop() {
  comparing.stop();
  clearTimeout(timer);
  show(false);
}

// kept returns the text of before, if there is one.
export const kept = () => (on ? { text: page.before.text, end: page.before.end } : null);

function show(yes) {
  on = yes;
  $('compare').setAttribute('aria-pressed', on);
  $('compare').textContent = on ? 'Stop comparing' : 'Compare';
  for (const id of ['before-side', 'now-title', 'changes-panel']) $(id).hidden = !on;
  document.body.classList.toggle('comparing', on);
}

// changed compares again, once the user makes a pause.
export function changed() {
  if (!on) return;
  clearTimeout(timer);
  timer = setTimeout(compare, pause);
}

async function compare() {
  const all = $('compare-agents').value, mine = $('compare-urls').value;
  const parts = { before: page.before.octets(), text: page.editor.octets() };
  const request = mine ? page.request(all ? { agent: all } : {}) : json({ agent: all || $('agent').value, urls: [] });
  try {
    const told = await comparing.ask('compare', request, parts);
    if (!told || !on) return;
    say($('changes-error'), '');
    tell(told);
  } catch (error) {
    if (!page.gone(error)) say($('changes-error'), error.message);
  }
}

function tell({ totals, verdicts, more, complete, others }) {
  const lacking = complete === false ? ' There may be more: not every path was tried.' : '';
  const same = page.before.text === page.editor.text;
  $('changes-total').textContent = same ? 'The two are the same. Edit the text of now, or load another.' : (totals || 'No verdict changes.') + lacking;
  $('changes-hint').hidden = Boolean($('compare-urls').value) || !verdicts?.length;
  const shown = (verdicts ?? []).slice(0, mostShown).map((c) => change(c));
  const left = (verdicts?.length ?? 0) - shown.length + (more ?? 0);
  if (left > 0) shown.push(el('li', { class: 'soft' }, `and ${many(left, 'more URL')}`));
  $('changes').replaceChildren(...shown);
  $('changes-others').replaceChildren(...(others ?? []).slice(0, mostShown).map((o) => other(o)));
}
