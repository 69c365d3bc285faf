import { el, foreign, many } from './shown.js';
import { verdict } from './panels.js';

// change returns a row for a verdict that changes. goTo, if given, leads to the line that
// decides before or now.
export function change({ url, crawlers, old, new: now, more }, goTo) {
  const where = (v, side) => !v.line ? [] : goTo ? [' ', el('button', { type: 'button', class: 'line', 'aria-label': `Go to line ${v.line} ${side}`, onclick: () => goTo(v.line, side) }, `line ${v.line}`)] : [` line ${v.line}`];
  const alike = more ? [el('span', { class: 'soft' }, `and ${many(more, 'more URL')} like it`)] : [];
  return el('li', { class: 'change' }, foreign(url, { class: 'url', dir: 'ltr' }),
    el('span', {}, verdict(old.verdict), ...where(old, 'before'), ' → ', verdict(now.verdict), ...where(now, 'now')), ...alike, foreign(crawlers.join(', '), { class: 'soft' }));
}

// other returns a row for a change that is no verdict.
export const other = ({ kind, change, text, detail }) =>
  el('li', { class: 'change' }, el('span', { class: 'tag' }, `${kind} ${change}`), foreign(text, { class: 'code' }), ...(detail ? [foreign(detail, { class: 'soft' })] : []));
