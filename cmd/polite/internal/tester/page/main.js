// The page of polite tester. It holds a text, a crawler and URLs, asks the command what they
// come to, and shows the answer. All answers are the command's.

import { Gone, json, Latest, octets, post } from './api.js';
import * as compare from './compare.js';
import * as crawler from './crawler.js';
import { Editor, keepStill } from './editor.js';
import * as findings from './findings.js';
import * as keys from './keys.js';
import { List } from './list.js';
import * as load from './load.js';
import { decode, fromBase64, moved, named, still } from './octets.js';
import * as panels from './panels.js';
import * as report from './report.js';
import * as share from './share.js';
import { $, many, say } from './shown.js';
import { unpack } from './state.js';
import * as table from './table.js';
import * as texts from './texts.js';
import * as list from './urls.js';

const example = {
  text: `# A robots.txt tells crawlers where they may not go. Edit it: the verdicts follow.
User-agent: *
Disallow: /private/
Allow: /private/open.html

Sitemap: https://example.com/sitemap.xml
`,
  urls: ['/', '/private/diary', '/private/open.html'],
};
const quiet = 700; // milliseconds without a change until the totals are read out
const mostURLs = 10000;
const mostActs = 5; // characters of direction that are told

const editor = new Editor($('editor'));
const before = new Editor($('before-editor'));
const verdicts = new List($('verdicts'), (row, i) => panels.fillVerdict(row, shown.urls[i], shown.verdicts[i]), choose);
const judging = new Latest();

let urls = []; // what is asked about, and the octets of it
let urlLines = octets('');
let shown = { urls: [], verdicts: [] }; // what the answer on the page is about, and its verdicts
let selected = ''; // the URL whose story is shown
let since = null; // when the user made the first change that has no answer yet

// changed asks about what is on the page. It does so before the browser draws, which takes long
// for a large file; changes that come together are one question.
let asking = false;
function changed(event) {
  since ??= event?.timeStamp ?? performance.now();
  if (asking) return;
  asking = true;
  queueMicrotask(() => {
    asking = false;
    judge();
  });
}

function readURLs() {
  say($('urls-acts'), acts($('urls').value));
  const all = moved($('urls').value).split('\n').map((line) => line.trim()).filter((line) => line && !line.startsWith('#'));
  urls = all.slice(0, mostURLs);
  urlLines = octets(urls.join('\n'));
  elsewhere();
  const more = all.length - urls.length;
  $('urls-total').textContent = many(urls.length, 'URL') + (more ? `; ${many(more, 'more is', 'more are')} left out` : '');
}

// acts tells which characters of direction a text has: the text shows others for them.
function acts(text) {
  const all = named(text), more = all.length - mostActs;
  return all.length ? `A character in it changes the direction of others, and is not shown as itself: ${all.slice(0, mostActs).join(', ')}${more > 0 ? ` and ${more} more` : ''}.` : '';
}

// elsewhere warns of URLs that are not of the site whose robots.txt this is.
function elsewhere() {
  const name = texts.nameOf();
  const site = /^https?:/.test(name) && URL.canParse(name) ? new URL(name).origin : '';
  const isOther = (url) => site && url.includes('://') && !url.startsWith(site + '/') && URL.canParse(url) && new URL(url).origin !== site;
  const n = urls.filter(isOther).length;
  say($('elsewhere'), n ? `${many(n, 'URL is', 'URLs are')} not of ${site}, whose robots.txt this is. Each host has its own, as has each scheme and port.` : '');
}

// question returns what the command is asked about what is on the page: a request, to which more
// may be added, and its parts.
const question = (more = {}) => [json({ agent: $('agent').value, ...more }), { text: editor.octets(), urls: urlLines }];

async function judge() {
  const started = since, asked = urls, { text } = editor;
  const explain = Math.max(asked.indexOf(selected), asked.length ? 0 : -1);
  try {
    const told = await judging.ask('judge', ...question({ explain, several: table.asked() }));
    if (!told) return;
    say($('judge-error'), told.truncated ? 'The file is too long: crawlers read its first 500 KiB alone.' : '');
    present(told, asked, explain, text);
    performance.clearMeasures('keystroke to verdicts');
    performance.measure('keystroke to verdicts', { start: started ?? performance.now(), end: performance.now() });
    since = null;
    alive();
  } catch (error) {
    if (!gone(error)) say($('judge-error'), error.message);
  }
  compare.changed();
}

// present shows the answer about a text.
function present(told, asked, explain, text) {
  say($('text-acts'), acts(text));
  selected = asked[explain] ?? '';
  shown = { urls: asked, verdicts: told.verdicts };
  panels.totals(told.totals);
  filter();
  crawler.tell(told.agent);
  findings.show(told.findings ?? [], text);
  panels.showStory(told.story);
  panels.showAbout(told);
  table.draw(told.table, asked);
  list.offer(told.sitemaps);
  const { named, rules } = told.group, decides = told.verdicts[explain]?.line;
  panels.showLegend(told, decides);
  editor.mark({ named, rules, decides, findings: told.findings ?? [] });
  if (decides && document.activeElement !== editor.area) editor.show(decides); // who types sees where
  hear();
}

// filter shows the verdicts of the kind that is chosen.
function filter() {
  const kind = $('filter').querySelector(':checked').value;
  let rows = [...shown.urls.keys()];
  if (kind) rows = rows.filter((i) => shown.verdicts[i].verdict === kind);
  verdicts.show(rows, rows.findIndex((i) => shown.urls[i] === selected));
}

// hear lets a screen reader say the totals, once the user makes a longer pause.
let hearing;
function hear() {
  clearTimeout(hearing);
  hearing = setTimeout(() => ($('heard').textContent = `${$('totals').textContent}. Findings: ${$('findings-total').textContent}.`), quiet);
}

// choose shows why a URL has its verdict, and the line that decides.
function choose(i) {
  selected = shown.urls[i];
  if (shown.verdicts[i].line) editor.show(shown.verdicts[i].line);
  judge().then(() => narrow.matches && $('story-title').scrollIntoView());
}

// narrow is a screen on which the reason is below what was chosen.
const narrow = matchMedia('(max-width: 960px)');

function chooseCrawler(name) {
  $('agent').value = name === '*' ? 'AnyOtherBot' : name;
  changed();
}

// gone says whether an error is that the command has ended, and tells the user.
function gone(error) {
  if (!(error instanceof Gone)) return false;
  say($('gone'), 'polite tester has ended, so the verdicts are those of before. Your text is still here: save it, or start polite tester again.');
  return true;
}

const alive = () => say($('gone'), '');

// show puts a state on the page.
function show({ before: old, ...rest }) {
  put(rest);
  compareWith(old);
}

function compareWith(old) {
  if (old) compare.keep(old.text, old.end);
  else compare.stop();
}

// put puts a text on the page, and a crawler and URLs if they come with it.
function put({ text, end, agent, urls, several }) {
  $('agent').value = agent ?? $('agent').value;
  $('urls').value = still(urls ?? $('urls').value);
  if (several) table.show(several);
  editor.set(text, end);
  load.forget();
  share.forgetSaved();
  readURLs();
  changed();
}

// state returns what is on the page.
const state = () => ({ agent: $('agent').value, text: editor.text, end: editor.end, urls: moved($('urls').value), several: table.state(), before: compare.kept() });

// showLink shows what a link leads to. What it replaces can be brought back.
async function showLink(packed) {
  try {
    const { before: old, ...rest } = await unpack(packed);
    const { agent, urls } = state();
    texts.replace(rest, { agent, urls });
    compareWith(old);
  } catch {
    share.notice('The link is damaged, so what it leads to cannot be shown.');
  }
}

// begin shows what the link or the command line says.
async function begin() {
  const [{ crawlers }, checks, from] = await Promise.all(['crawlers', 'checks', 'start'].map((name) => post(name, json({}))));
  document.body.classList.toggle('alone', !from.loads);
  crawler.start(crawlers, changed);
  findings.know(checks);
  $('version').textContent = from.version ? `polite ${from.version}` : '';
  const linked = location.hash.slice(1), draft = texts.draft();
  if (draft) {
    show(draft);
    texts.restore(draft);
    if (!linked || !isNew()) return;
  }
  if (linked || from.state) return showLink(linked || from.state);
  selected = example.urls.at(-1); // which shows a line that decides
  const given = from.urls?.length ? from.urls : from.text === null ? example.urls : ['/'];
  const file = from.text === null ? { text: example.text, end: '\n' } : decode(fromBase64(from.text));
  show({ ...file, agent: from.agent || 'Googlebot', urls: given.join('\n') });
  texts.called(from.name);
}

// isNew says whether the user came by a link, and not by a reload or a step back.
const isNew = () => performance.getEntriesByType('navigation')[0]?.type === 'navigate';

editor.area.addEventListener('input', (event) => {
  share.forgetSaved();
  changed(event);
});
$('agent').addEventListener('input', changed);
keepStill($('urls'));
$('urls').addEventListener('input', (event) => {
  readURLs();
  changed(event);
});
$('filter').addEventListener('change', filter);
$('skip').addEventListener('click', (event) => {
  event.preventDefault(); // what follows the "#" of the link is a state
  editor.area.focus();
});
addEventListener('hashchange', () => location.hash.length > 1 && showLink(location.hash.slice(1)));
panels.start(editor);
findings.start({ editor, gone });
table.start({ editor, gone, changed, choose: chooseCrawler, compare: compare.keepForAll });
compare.start({ editor, before, question, gone });
texts.start({ editor, state, put, named: elsewhere });
list.start({ gone });
load.start({ gone, compare: (...before) => compare.keep(...before) });
share.start({ editor, state, question, gone, saved: texts.saved, name: texts.nameOf, handle: texts.handleOf });
report.start({ printed: () => ({ ...shown, name: texts.nameOf(), agent: $('agent').value, text: editor.text, findings: findings.found() }) });
editor.follow(before);
keys.start(editor);
begin().catch((error) => gone(error) || say($('judge-error'), error.message));
