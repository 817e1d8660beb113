// Shows the paper's numbers beside those of the runs in the store.
import { overview } from './data';
import { byId, el, table } from './dom';
import { onFilter, showsLine } from './filter';

export function buildPaper() {
  const section = byId('paper');
  section.hidden = overview.paper.length === 0;
  if (section.hidden) return;
  const tables = overview.paper.map((part) => ({ part, element: table(part.title, part.head, part.rows) }));
  section.append(el('h2', { id: 'paper-title' }, 'The paper beside ours'),
    el('p', {}, 'Average accuracies after the last task: mean ± standard deviation over seeds, ours of the runs in this store, the paper’s over its five runs. A row is there where our runs have the paper’s setting.'),
    ...tables.map(({ element }) => element));
  onFilter(() => {
    const shown = new Set(overview.settings.flatMap((setting) => setting.lines.filter((line) => showsLine(line, setting)).flatMap((line) => line.runs)));
    const isShown = (runs: number[]) => runs.some((run) => shown.has(run));
    for (const { part, element } of tables) {
      element.querySelectorAll<HTMLElement>('tbody tr').forEach((row, k) => { row.hidden = !isShown(part.runs[k]); });
      element.hidden = !part.runs.some(isShown);
    }
    section.hidden = tables.every(({ element }) => element.hidden);
  });
}
