import { json, post } from './api.js';
import { forgetSaved, notice } from './share.js';
import { $, el, facts, foreign } from './shown.js';
import { decode, fromBase64 } from './octets.js';
import * as texts from './texts.js';

// A file comes from a site, and only when the user asks for it, or from this machine.
const largest = 2 * 1024 * 1024;
let page;

export function start(p) {
  page = p;
  $('load').addEventListener('submit', (event) => {
    event.preventDefault();
    fromSite($('site').value.trim(), told);
  });
  $('compare-site').addEventListener('click', () => fromSite($('site').value.trim() || siteOf(texts.nameOf()), toldBefore));
  $('open').addEventListener('click', pick);
  $('open-file').addEventListener('change', (event) => {
    fromFile(event.target.files[0]);
    event.target.value = '';
  });
  takeDrops($('file-panel'));
}

function takeDrops(panel) {
  const hover = (on) => panel.classList.toggle('over', on);
  const isFile = (event) => event.dataTransfer?.types.includes('Files');
  addEventListener('dragover', (event) => isFile(event) && (event.preventDefault(), hover(true)));
  addEventListener('dragleave', (event) => event.relatedTarget === null && hover(false));
  addEventListener('drop', (event) => {
    hover(false);
    if (!isFile(event)) return;
    event.preventDefault();
    const [item] = event.dataTransfer.items, file = event.dataTransfer.files[0];
    const handle = item.getAsFileSystemHandle?.() ?? Promise.resolve();
    handle.then((h) => fromFile(file, h?.kind === 'file' ? h : undefined), () => fromFile(file));
  });
}

// pick lets the user pick a file. Where the browser can, the page may write to it later.
async function pick() {
  if (!globalThis.showOpenFilePicker) return $('open-file').click();
  const [handle] = await showOpenFilePicker().catch(() => []); // none is picked
  if (handle) await fromFile(await handle.getFile(), handle);
}

// fromFile shows a file. The handle, if there is one, lets the page write to it.
async function fromFile(file, handle) {
  if (!file) return;
  if (file.size > largest) return notice('The file is larger than 2 MiB. Crawlers read the first 500 KiB alone.');
  texts.replace({ ...decode(new Uint8Array(await file.arrayBuffer())), name: file.name, handle });
}

// siteOf returns the site that a text came from, "" if from none.
const siteOf = (name) => (/^https?:/.test(name) && URL.canParse(name) ? new URL(name).origin : '');

// fromSite asks a site, and shows its answer with show.
async function fromSite(url, show) {
  if (!url) return $('site').focus();
  const asking = new AbortController();
  const buttons = [...$('load').querySelectorAll('button')];
  for (const button of buttons) button.disabled = true;
  forgetSaved();
  const cancel = el('button', { type: 'button', class: 'line', onclick: () => asking.abort() }, 'Cancel');
  tell(el('p', {}, 'Asking ', foreign(url), ' … ', cancel));
  try {
    show(await post('load', json({ url }), {}, { signal: asking.signal }));
  } catch (error) {
    if (asking.signal.aborted || page.gone(error)) tell();
    else tell(el('p', { class: 'wrong' }, foreign(error.message)));
  } finally {
    for (const button of buttons) button.disabled = false;
  }
}

// meanings say what becomes of an answer; the entries below say why.
const meanings = {
  rules: 'The file of the site is in the editor.',
  'everything is allowed': 'The site has no robots.txt to go by: everything is allowed. Your text stays as it is.',
  'nothing may be fetched': 'The robots.txt of the site could not be read. Your text stays as it is.',
};

function told(answer) {
  if (answer.meaning === 'rules') texts.replace({ ...decode(fromBase64(answer.body ?? '')), name: answer.url });
  tellAnswer(answer, meanings[answer.meaning]);
}

// toldBefore takes the file of a site as the one of before. Without a file, all is allowed.
function toldBefore(answer) {
  const read = answer.meaning !== 'nothing may be fetched';
  const { text, end } = decode(fromBase64(answer.body ?? ''));
  if (read) page.compare(text, end, answer.url);
  tellAnswer(answer, read ? 'The file of the site is the one of before. Your text stays as it is.' : meanings[answer.meaning]);
}

function tellAnswer(answer, meaning) {
  tell(
    el('p', { class: answer.error ? 'wrong' : '' }, meaning, answer.truncated ? ' The file is too long: what is beyond the limit does not count.' : ''),
    el('dl', { class: 'facts' }, ...facts(answer.entries ?? [])),
  );
}

// forget takes away what is told of a text that came from a site: the text is another one now.
export const forget = () => tell();

function tell(...children) {
  $('loaded').hidden = children.length === 0;
  $('loaded').replaceChildren(...children);
}
