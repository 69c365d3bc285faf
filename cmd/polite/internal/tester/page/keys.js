import * as findings from './findings.js';
import { $ } from './shown.js';

// The keys of the page. None of them is a letter alone, so that none is in the way of typing
// or of a screen reader.
const keys = {
  F1: () => $('help').showModal(),
  F6: () => nextPanel(1),
  'Shift+F6': () => nextPanel(-1),
  F8: () => findings.next(false),
  'Shift+F8': () => findings.next(true),
  'Ctrl+.': findings.applyHere,
};

export function start(editor) {
  $('help-open').addEventListener('click', () => $('help').showModal());
  addEventListener('keydown', (event) => {
    const key = (event.ctrlKey || event.metaKey ? 'Ctrl+' : '') + (event.shiftKey ? 'Shift+' : '') + event.key;
    const command = { 'Ctrl+z': 'undo', 'Ctrl+Shift+Z': 'redo', 'Ctrl+y': 'redo' }[key];
    if (command && !event.target.matches('input, textarea, select')) {
      event.preventDefault();
      editor.undo(command);
    }
    if (!keys[key] || $('help').open) return;
    event.preventDefault();
    keys[key]();
  });
}

// nextPanel puts the focus on what is used first in the next panel.
function nextPanel(step) {
  const panels = [...document.querySelectorAll('[data-panel]:not([hidden])')];
  const here = panels.findIndex((panel) => panel.contains(document.activeElement));
  const next = here < 0 ? 0 : (here + step + panels.length) % panels.length;
  const main = panels[next].querySelector('#text, #agent, #urls');
  (main ?? panels[next].querySelector('h2')).focus();
  if (main?.id === 'agent') main.select(); // what is typed takes its place, as after Tab
  panels[next].scrollIntoView({ block: 'nearest' });
}
