import { align } from './align.js';
import { Latest, post } from './api.js';
import { save } from './share.js';
import { $, el, foreign, many, redraw, say } from './shown.js';
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
  for (const button of document.querySelectorAll('[data-changes]')) {
    button.addEventListener('click', () => exportChanges(button.dataset.changes));
  }
}

// keep keeps a text as the one of before. It may have a name.
export function keep(text, end, name = 'it stays as it was') {
  page.before.set(text, end);
  $('before-name').replaceChildren(foreign(name));
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
  mark();
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

// question returns what is to be compared, and the two texts.
function question(more = {}) {
  const agent = $('compare-agents').value || $('agent').value;
  const [request, { text, urls }] = page.question({ agent, ...more });
  const parts = { before: page.before.octets(), text };
  return [request, $('compare-urls').value ? { ...parts, urls } : parts];
}

async function compare() {
  mark();
  try {
    const told = await comparing.ask('compare', ...question());
    if (!told || !on) return;
    say($('changes-error'), '');
    tell(told);
  } catch (error) {
    if (!page.gone(error)) say($('changes-error'), error.message);
  }
}

function tell({ totals, headlines, verdicts, more, complete, others }) {
  const lacking = complete === false ? ' There may be more: not every path was tried.' : '';
  const same = page.before.text === page.editor.text;
  $('changes-total').textContent = same ? 'The two are the same. Edit the text of now, or load another.' : (totals || 'No verdict changes.') + lacking;
  $('changes-hint').hidden = Boolean($('compare-urls').value) || !verdicts?.length;
  const shown = (verdicts ?? []).slice(0, mostShown).map((c) => change(c, goTo));
  const left = (verdicts?.length ?? 0) - shown.length + (more ?? 0);
  if (left > 0) shown.push(el('li', { class: 'soft' }, `and ${many(left, 'more URL')}`));
  redraw($('changes'), ...headlines.map((text) => el('li', { class: 'change name' }, foreign(text))), ...shown);
  $('changes-others').replaceChildren(...(others ?? []).slice(0, mostShown).map((o) => other(o)));
}

// goTo leads to a line of one of the texts.
const goTo = (line, side) => (side === 'before' ? page.before : page.editor).goTo(line);

// mark marks the lines that only one of the texts has, and lets those that both have stand beside
// each other.
function mark() {
  if (!on) return page.editor.beside(page.before);
  const pairs = align(page.editor.text.split('\n'), page.before.text.split('\n'));
  page.editor.beside(page.before, pairs);
}

async function exportChanges(format) {
  const names = { markdown: 'changes.md', json: 'changes.jsonl' };
  try {
    const [request, parts] = question({ format });
    const blob = await post('review', request, parts, { answer: (r) => r.blob() });
    save(blob, names[format], blob.type);
    say($('changes-exported'), `Saved as ${names[format]}`);
  } catch (error) {
    if (!page.gone(error)) say($('changes-exported'), error.message);
  }
}
