import { $, el, facts, foreign, many, redraw } from './shown.js';

const words = { allowed: ['✓', 'allowed'], disallowed: ['✕', 'disallowed'], invalid: ['!', 'invalid'], failed: ['!', 'invalid'] };

// verdict returns the elements of a verdict: an icon and a word.
export const verdict = (kind) => el('span', { class: `verdict ${kind}` }, el('span', { 'aria-hidden': 'true' }, words[kind]?.[0] ?? '?'), ' ' + (words[kind]?.[1] ?? kind));

// fillVerdict shows a URL and its verdict in a row of the list.
export function fillVerdict(row, url, { verdict: kind, line, error }) {
  const where = error ? foreign(error.replace(/^"[^"]*" /, ''), { class: 'where wrongly' }) : el('span', { class: 'where' }, line ? `line ${line}` : '');
  row.replaceChildren(verdict(kind), foreign(url, { class: 'url', dir: 'ltr' }), where);
}

// totals shows how many verdicts there are of each kind.
export function totals({ allowed, disallowed, invalid }) {
  const parts = [`${allowed.toLocaleString('en')} allowed`, `${disallowed.toLocaleString('en')} disallowed`];
  if (invalid) parts.push(`${invalid.toLocaleString('en')} invalid`);
  $('totals').textContent = parts.join(' · ');
}

let editor;

// start prepares what leads to lines of the editor.
export const start = (e) => (editor = e);

// showStory shows why a URL is judged as it is.
export function showStory(story) {
  if (!story) {
    $('story').replaceChildren(el('p', { class: 'soft' }, 'Write a URL to see why the crawler may fetch it, or may not.'));
    return;
  }
  const { picture = [], more } = story, decides = picture.some((line) => line.decides);
  const said = ({ name, lines }) => lines.join() === name || (name === 'rules' && decides); // by the picture, or by nobody
  const rest = more ? [el('li', { class: 'soft' }, `and ${many(more, 'more line')} of the group`)] : [];
  redraw($('story'),
    el('p', { class: 'headline' }, verdict(story.verdict), foreign(story.url, { class: 'url', dir: 'ltr' })),
    ...(picture.length ? [el('ol', { class: 'plain picture' }, ...picture.map(pictured), ...rest)] : []),
    el('dl', { class: 'facts' }, ...facts((story.entries ?? []).filter((entry) => !said(entry)))));
}

// pictured returns the row of a line that matters: a rule that matches has a length, and the
// longest decides.
function pictured({ line, text: written, decides, length, why }) {
  const where = el('button', { type: 'button', class: 'line', 'aria-label': `Go to line ${line}`, onclick: () => editor.goTo(line) }, String(line));
  const notes = [...(length ? [el('span', { class: 'soft' }, `length ${length}`)] : []), ...(decides ? [el('span', { class: 'tag' }, `decides: ${why}`)] : [])];
  return el('li', { class: decides ? 'decides' : '' }, where, foreign(written, { class: 'code' }), ...notes);
}

// showAbout shows what else the file says to the crawler.
export function showAbout({ delay, uses, sitemaps, story }) {
  const use = ({ use: what, says, line }) => (line ? `${what}: ${says} (line ${line})` : `${what}: ${says}`);
  const noUse = story?.verdict === 'disallowed' ? 'the chosen URL may not be fetched' : 'nothing is said of the chosen URL';
  const rows = [
    { name: 'delay', lines: [delay || 'none asked for'] },
    { name: 'uses', lines: uses?.length ? uses.map(use) : [noUse] },
    { name: 'sitemaps', lines: sitemaps?.length ? sitemaps.slice(0, 20) : ['none'] },
  ];
  if (sitemaps?.length > 20) rows[2].lines.push(`and ${sitemaps.length - 20} more`);
  $('about').replaceChildren(...facts(rows));
}

// showLegend says what the marks of the editor mean. It offers to begin a group for a well-known
// crawler that has none.
export function showLegend({ group, agent, lack }, decides) {
  const empty = lack && !editor.text.trim();
  const offer = agent.known && (!lack || empty) && (group.agent === '' || group.agent === '*');
  $('legend').classList.toggle('doubt', Boolean(lack) && !empty);
  redraw($('legend'), ...(group.agent ? marks(group, decides) : [nothingSaid(lack, empty)]), ...(offer ? [beginGroup(agent.known.name)] : []));
}

function marks({ agent, rules }, decides) {
  const everyone = agent === '*';
  const entries = [
    ['named', everyone ? 'names every crawler without a group of its own' : foreign(`names ${agent}`)],
    ['rule', `${everyone ? 'the' : 'its'} ${many(rules.length, 'rule')}${everyone ? '' : ', and no others count for it'}`],
  ];
  if (decides) entries.push(['decides', 'decides for the chosen URL']);
  return entries.map(([key, ...says]) => el('span', { class: 'entry' }, el('span', { class: `key ${key}` }), ...says));
}

function nothingSaid(lack, empty) {
  if (empty) return 'The file is empty: everything is allowed.';
  if (lack) return `${lack.replace(/^it /, 'The file ').replace(' (see polite lint)', ': see the findings')}.`;
  return 'No group of the file is for this crawler: everything is allowed.';
}

function beginGroup(name) {
  const begin = () => editor.add(`User-agent: ${name}\nDisallow: /`);
  return el('button', { type: 'button', class: 'line', onclick: begin }, `Begin a group for ${name}`);
}
