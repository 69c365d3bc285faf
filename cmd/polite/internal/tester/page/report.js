import { moved } from './octets.js';
import { verdict } from './panels.js';
import { $, el, facts, foreign, many } from './shown.js';

// The printed page is a report: the verdicts, why, what is wrong, and the file. It is made when
// the page is printed, since nobody sees it before.

const most = 2000; // rows of each part
let page;

// start prepares the report. p.printed returns what it is about.
export function start(p) {
  page = p;
  addEventListener('beforeprint', fill);
  addEventListener('afterprint', () => $('report').replaceChildren());
}

function fill() {
  const { name, agent, text, urls, verdicts, findings } = page.printed();
  $('report').replaceChildren(
    el('h1', {}, foreign(name || 'robots.txt')),
    el('dl', { class: 'facts' }, ...facts([
      { name: 'crawler', lines: [agent || 'polite'] }, { name: 'verdicts', lines: [$('totals').textContent] },
      { name: 'findings', lines: [$('findings-total').textContent] }, { name: 'printed', lines: [new Date().toLocaleString('en')] },
    ])),
    part('Verdicts', el('table', {}, el('tbody', {}, ...rows(urls, (url, i) => judged(url, verdicts[i]), 'tr', 'URL')))),
    part('Why', ...copies('story')),
    ...($('table-side').hidden ? [] : [part('Several crawlers', ...copies('table-side'))]),
    part('The file, with what is wrong', el('ol', { class: 'source' }, ...rows(moved(text).split('\n'), (line, i) => sourced(line, i, findings), 'li', 'line'))),
  );
}

const part = (title, ...children) => el('section', {}, el('h2', {}, title), ...children);

// rows returns the first of many rows, and one that tells how many are left out.
function rows(all, row, tag, one) {
  const left = all.length - most;
  return [...all.slice(0, most).map(row), ...(left > 0 ? [el(tag, {}, el(tag === 'tr' ? 'td' : 'span', {}, `and ${many(left, 'more ' + one)}`))] : [])];
}

const judged = (url, { verdict: kind, line, error }) =>
  el('tr', {}, el('td', {}, verdict(kind)), el('td', {}, foreign(url, { class: 'url', dir: 'ltr' })), el('td', {}, error ? foreign(error) : line ? `line ${line}` : ''));

const sourced = (line, i, findings) =>
  el('li', {}, foreign(line, { class: 'code' }), ...findings.filter((f) => f.line === i + 1).map((f) => el('div', { class: 'found' }, `${f.severity}: `, foreign(f.message))));

// copies returns copies of what a part of the page shows.
function copies(id) {
  const copy = $(id).cloneNode(true);
  for (const named of copy.querySelectorAll('[id]')) named.removeAttribute('id');
  return [...copy.childNodes];
}
