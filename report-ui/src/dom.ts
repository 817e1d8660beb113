// Helpers that make an element in one line of code.

type Child = Node | string | null;

export function el<K extends keyof HTMLElementTagNameMap>(
  tag: K, attributes: Record<string, string | number | boolean | EventListener> = {}, ...children: Child[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === 'function') element.addEventListener(name, value);
    else if (value === true) element.setAttribute(name, '');
    else if (value !== false) element.setAttribute(name, String(value));
  }
  element.append(...children.filter((child): child is Node | string => child !== null));
  return element;
}

export const byId = (id: string) => document.getElementById(id) as HTMLElement;

// The mark of a run whose network is dead.
export const collapsedBadge = () => el('span', { class: 'badge', title: 'The network is dead: its accuracy is not a result.' }, 'collapsed');

// A table that scrolls on its own on a narrow screen, also by keyboard.
export function table(caption: string, head: (string | Node)[], rows: (string | Node)[][]): HTMLElement {
  const cell = (content: string | Node, k: number) =>
    k === 0 ? el('th', { scope: 'row' }, content) : el('td', {}, content);
  return el('div', { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': caption },
    el('table', {},
      el('caption', {}, el('span', {}, caption)),
      head.length === 0 ? null : el('thead', {}, el('tr', {}, ...head.map((text) => el('th', { scope: 'col' }, text)))),
      el('tbody', {}, ...rows.map((row) => el('tr', {}, ...row.map(cell))))));
}

export function copyButton(what: () => string): HTMLButtonElement {
  const button = el('button', { type: 'button', class: 'copy' }, 'Copy');
  button.addEventListener('click', async () => {
    try {
      await navigator.clipboard.writeText(what());
      button.textContent = 'Copied';
    } catch {
      button.textContent = 'Select it and press Ctrl-C';
    }
    setTimeout(() => { button.textContent = 'Copy'; }, 2000);
  });
  return button;
}

export const duration = (seconds: number) =>
  seconds < 120 ? `${seconds.toFixed(1)} s` : seconds < 7200 ? `${(seconds / 60).toFixed(1)} min`
    : `${(seconds / 3600).toFixed(1)} h`;
