import { el } from './shown.js';

// A List is a listbox of any length: there are elements only for the rows that can be seen.
// fill shows an item in a row, and chosen is called with the item that the user chooses.
export class List {
  #root;
  #fill;
  #chosen;
  #items = [];
  #active = 0;
  #selected = -1;
  #inner = el('div', { role: 'presentation', class: 'inner' });
  #rows = [];
  #height = 0;

  constructor(root, fill, chosen) {
    this.#root = root;
    this.#fill = fill;
    this.#chosen = chosen;
    root.append(this.#inner);
    root.addEventListener('scroll', () => this.#draw(), { passive: true });
    root.addEventListener('keydown', (event) => this.#key(event));
    root.addEventListener('click', (event) => this.#click(event));
    new ResizeObserver(() => ((this.#height = 0), this.#draw())).observe(root);
  }

  // show shows items; the one that is selected is at the index.
  show(items, selected) {
    this.#items = items;
    this.#selected = selected;
    this.#active = selected >= 0 ? selected : Math.max(0, Math.min(this.#active, items.length - 1));
    this.#root.hidden = items.length === 0;
    this.#draw();
  }

  #draw() {
    const height = (this.#height ||= parseFloat(getComputedStyle(this.#root).getPropertyValue('--row')));
    this.#inner.style.height = this.#items.length * height + 'px';
    const first = Math.max(0, Math.min(Math.floor(this.#root.scrollTop / height), this.#items.length - 1));
    const seen = Math.min(Math.ceil(this.#root.clientHeight / height) + 1, this.#items.length - first);
    while (this.#rows.length < seen) this.#addRow();
    this.#rows.forEach((row, i) => this.#drawRow(row, first + i, height, i < seen));
    const active = this.#active - first;
    if (active >= 0 && active < seen) this.#root.setAttribute('aria-activedescendant', this.#rows[active].id);
    else this.#root.removeAttribute('aria-activedescendant');
  }

  #addRow() {
    const row = el('div', { role: 'option', id: `${this.#root.id}-${this.#rows.length}` });
    this.#inner.append(row);
    this.#rows.push(row);
  }

  #drawRow(row, index, height, seen) {
    row.hidden = !seen;
    if (!seen) return;
    row.style.transform = `translateY(${index * height}px)`;
    row.dataset.index = index;
    row.setAttribute('aria-setsize', this.#items.length);
    row.setAttribute('aria-posinset', index + 1);
    row.setAttribute('aria-selected', index === this.#selected);
    row.classList.toggle('active', index === this.#active);
    this.#fill(row, this.#items[index]);
  }

  #key(event) {
    const page = Math.max(1, Math.floor(this.#root.clientHeight / this.#height) - 1);
    const last = this.#items.length - 1;
    const moves = { ArrowDown: this.#active + 1, ArrowUp: this.#active - 1, PageDown: this.#active + page, PageUp: this.#active - page, Home: 0, End: last };
    if (event.key === 'Enter' || event.key === ' ') this.#choose(this.#active);
    else if (event.key in moves) this.#move(Math.max(0, Math.min(moves[event.key], last)));
    else return;
    event.preventDefault();
  }

  #click(event) {
    const row = event.target.closest('[role=option]');
    if (row) this.#choose(Number(row.dataset.index));
  }

  #move(index) {
    this.#active = index;
    const { scrollTop, clientHeight } = this.#root, top = index * this.#height;
    if (top < scrollTop) this.#root.scrollTop = top;
    else if (top + this.#height > scrollTop + clientHeight) this.#root.scrollTop = top + this.#height - clientHeight;
    this.#draw();
  }

  #choose(index) {
    if (index < 0 || index >= this.#items.length) return;
    this.#active = this.#selected = index;
    this.#move(index);
    this.#chosen(this.#items[index]);
  }
}
