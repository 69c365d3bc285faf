import { json, post } from './api.js';
import { still } from './octets.js';
import { $, el, foreign, say } from './shown.js';

// The URLs come from the user's hand, from a file, or from a sitemap that the user names.
const largest = 2 * 1024 * 1024;
let page;

export function start(p) {
  page = p;
  $('sitemap').addEventListener('submit', (event) => {
    event.preventDefault();
    fromSitemap($('sitemap-url').value.trim());
  });
  $('urls-open').addEventListener('click', () => $('urls-file').click());
  $('urls-file').addEventListener('change', (event) => {
    fromFile(event.target.files[0]);
    event.target.value = '';
  });
}

async function fromFile(file) {
  if (!file) return;
  if (file.size > largest) return say($('sitemap-told'), 'The file is larger than 2 MiB: take a part of it.');
  await take(async () => post('list', json({}), { text: new Uint8Array(await file.arrayBuffer()) }));
}

async function fromSitemap(url) {
  if (!url) return $('sitemap-url').focus();
  const asking = new AbortController(), button = $('sitemap').querySelector('[type=submit]');
  button.disabled = true;
  say($('sitemap-told'), `Asking ${url} … `);
  $('sitemap-told').append(el('button', { type: 'button', class: 'line', onclick: () => asking.abort() }, 'Cancel'));
  await take(() => post('sitemap', json({ url: url.includes('://') ? url : 'https://' + url }), {}, { signal: asking.signal }), asking.signal);
  button.disabled = false;
}

// take puts the URLs that ask returns into the place of those of now.
async function take(ask, signal) {
  try {
    const { urls, more, error } = await ask();
    const before = $('urls').value;
    put(still(urls.join('\n')));
    say($('sitemap-told'), [`${urls.length.toLocaleString('en')} URLs are taken${more ? ', and the others left out' : ''}. `, error].filter(Boolean).join(' '));
    $('sitemap-told').append(' ', el('button', { type: 'button', class: 'line', onclick: () => (put(before), say($('sitemap-told'), ''), $('urls').focus()) }, 'Bring mine back'));
  } catch (error) {
    if (signal?.aborted || page.gone(error)) say($('sitemap-told'), '');
    else {
      $('sitemap-told').hidden = false;
      $('sitemap-told').replaceChildren(foreign(error.message, { class: 'wrong' }));
    }
  }
}

// put replaces the URLs.
function put(text) {
  $('urls').value = text;
  $('urls').scrollTop = 0;
  $('urls').dispatchEvent(new InputEvent('input', { bubbles: true }));
}

// offer lists the sitemaps that the file names.
export const offer = (sitemaps) => $('sitemaps').replaceChildren(...(sitemaps ?? []).slice(0, 50).map((value) => el('option', { value })));
