import { json, post } from './api.js';
import { still } from './octets.js';
import { $, el, say } from './shown.js';

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
    type(urls.join('\n'));
    say($('sitemap-told'), [`${urls.length.toLocaleString('en')} URLs are taken${more ? ', and the others left out' : ''}. Ctrl+Z brings yours back.`, error].filter(Boolean).join(' '));
  } catch (error) {
    if (signal?.aborted || page.gone(error)) say($('sitemap-told'), '');
    else say($('sitemap-told'), error.message);
  }
}

// type replaces the URLs as if it were typed, so that the browser can undo it.
function type(text) {
  $('urls').focus({ preventScroll: true });
  $('urls').select();
  document.execCommand('insertText', false, still(text));
  $('urls').setSelectionRange(0, 0);
  $('urls').scrollTop = 0;
}

// offer lists the sitemaps that the file names.
export const offer = (sitemaps) => $('sitemaps').replaceChildren(...(sitemaps ?? []).slice(0, 50).map((value) => el('option', { value })));
