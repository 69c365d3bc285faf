import { post } from './api.js';
import { pack } from './state.js';
import { $, el, say } from './shown.js';

// What leaves the page leaves it by the user's hand: a link, a file, the verdicts.
let page;

// start prepares the buttons. p.saved is called when the file was saved.
export function start(p) {
  page = p;
  $('copy-link').addEventListener('click', copyLink);
  $('save').addEventListener('click', saveFile);
  for (const button of document.querySelectorAll('[data-export]')) {
    button.addEventListener('click', () => exportVerdicts(button.dataset.export));
  }
  document.documentElement.dataset.theme = $('theme').value = remembered();
  $('theme').addEventListener('change', ({ target }) => choose(target.value));
}

// choose shows the page in a theme, and remembers it. A browser may have no storage.
function choose(theme) {
  document.documentElement.dataset.theme = theme;
  try {
    localStorage.setItem('theme', theme);
  } catch {} // then it is for this time
}

function remembered() {
  try {
    const name = localStorage.getItem('theme') ?? '';
    return [...$('theme').options].some(({ value }) => value === name) ? name : '';
  } catch {
    return '';
  }
}

// notice tells the user something, with a button if there is one; "" takes it away.
export function notice(message, ...more) {
  say($('notice'), message);
  if (message) $('notice').append(' ', ...more, el('button', { type: 'button', class: 'quiet', onclick: () => notice('') }, 'Dismiss'));
}

// isAlone says whether the page has no server, and so loads nothing from sites.
const isAlone = () => document.body.classList.contains('alone');

async function copyLink() {
  try {
    const link = location.href.split('#')[0] + '#' + (await pack(page.state()));
    const field = el('input', { type: 'text', readonly: true, 'aria-label': 'Link to this state', value: link });
    const copied = await navigator.clipboard.writeText(link).then(() => true, () => false);
    notice(`${copied ? 'The link is copied.' : 'Copy the link.'} It opens here${isAlone() ? '.' : ' while polite tester runs, and anywhere with: polite tester LINK'}`, field);
    if (!copied) field.select();
  } catch (error) {
    notice(error.message);
  }
}

// saveFile writes to the file that was opened, or saves one of the same name.
async function saveFile() {
  const octets = page.editor.octets(), handle = page.handle();
  const name = /^https?:/.test(page.name()) ? 'robots.txt' : page.name().split(/[/\\]/).at(-1) || 'robots.txt';
  try {
    const file = await handle?.createWritable();
    await file?.write(octets);
    await file?.close();
  } catch (error) {
    return say($('saved'), `${name} could not be written: ${error.message}`);
  }
  if (!handle) save(octets, name, 'text/plain');
  if (page.editor.octets() !== octets) return; // the user has typed on
  page.saved();
  const at = name === 'robots.txt' ? 'Put it' : 'Crawlers look for no other name than robots.txt: put it under that name';
  say($('saved'), `${name} is ${handle ? 'written' : 'among your downloads'}. ${at} at the top of your site, as in https://example.com/robots.txt.${isAlone() ? '' : ' Then load it here from the site, to see that it is there.'}`);
}

// forgetSaved takes away what is told of a file that was saved: the text is another one now.
export const forgetSaved = () => say($('saved'), '');

async function exportVerdicts(format) {
  const names = { text: 'verdicts.txt', csv: 'verdicts.csv', json: 'verdicts.jsonl' };
  try {
    const blob = await post('export', ...page.question({ format }), { answer: (r) => r.blob() });
    save(blob, names[format], blob.type);
    say($('exported'), `Saved as ${names[format]}`);
  } catch (error) {
    if (!page.gone(error)) say($('exported'), error.message);
  }
}

// save lets the user save a file.
export function save(content, name, type) {
  const url = URL.createObjectURL(new Blob([content], { type }));
  el('a', { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
