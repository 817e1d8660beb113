// All runs, and the commands that repeat them.
import { overview, type Run } from './data';
import { byId, collapsedBadge, copyButton, duration, el } from './dom';
import { onFilter, showsRun } from './filter';

type Key = 'id' | 'status' | 'benchmark' | 'learner' | 'policy' | 'tasks' | 'memory' | 'seed' | 'accuracy' | 'seconds' | 'finished' | 'error';
const columns: [Key, string][] = [['id', 'run'], ['benchmark', 'benchmark'], ['learner', 'learner'], ['policy', 'policy'],
  ['tasks', 'tasks'], ['memory', 'memory'], ['seed', 'seed'], ['status', 'status'], ['accuracy', 'accuracy %'],
  ['seconds', 'time'], ['finished', 'finished'], ['error', 'error']];

const shownAccuracy = (run: Run) => run.metrics[0]?.[1] ?? '–'; // the value of the first metric

function row(run: Run): HTMLElement {
  const cells = columns.map(([key]) => {
    if (key === 'id') return el('th', { scope: 'row' }, el('a', { href: `#run-${run.id}`, 'aria-label': `show run ${run.id}` }, String(run.id)));
    if (key === 'accuracy') return el('td', { class: 'number' }, shownAccuracy(run));
    if (key === 'seconds') return el('td', { class: 'number' }, run.seconds > 0 ? duration(run.seconds) : '–');
    if (key === 'status') return el('td', { class: run.status }, run.status, ...(run.collapsed ? [' ', collapsedBadge()] : []));
    return el('td', { class: key }, String(run[key] ?? '–'));
  });
  return el('tr', { 'data-run': run.id }, ...cells);
}

export function buildRuns() {
  const rows = new Map(overview.runs.map((run) => [run, row(run)]));
  const body = el('tbody', {}, ...rows.values());
  let sorted: Key | '' = '';
  let falls = false;
  const value = (run: Run, key: Key) => run[key] ?? -1;
  const heads = columns.map(([key, name]) => {
    const head = el('th', { scope: 'col' }, el('button', { type: 'button', class: 'sort' }, name));
    head.firstElementChild?.addEventListener('click', () => {
      falls = sorted === key ? !falls : key === 'accuracy';
      sorted = key;
      for (const other of heads) other.removeAttribute('aria-sort');
      head.setAttribute('aria-sort', falls ? 'descending' : 'ascending');
      const order = [...overview.runs].sort((a, b) => (value(a, key) < value(b, key) ? -1 : value(a, key) > value(b, key) ? 1 : 0) * (falls ? -1 : 1));
      body.append(...order.map((run) => rows.get(run) as HTMLElement));
    });
    return head;
  });
  const whole = el('div', { class: 'scroll tall', tabindex: 0, role: 'region', 'aria-label': 'All runs' },
    el('table', {}, el('caption', {}, el('span', {}, 'All runs, latest first; a number opens the run, a column head sorts')),
      el('thead', {}, el('tr', {}, ...heads)), body));
  byId('runs').append(el('h2', { id: 'runs-title' }, 'Runs'), whole);
  onFilter(() => { for (const [run, element] of rows) element.hidden = !showsRun(run); });
}

export function buildCommands() {
  const code = el('code', {});
  const text = () => overview.runs.filter(showsRun).map((run) => run.command).join('\n');
  byId('commands').append(el('h2', { id: 'commands-title' }, 'Commands'),
    el('p', {}, 'Each repeats one run to the bit, with the same version on the same kind of CPU; --data says where the data lies.'),
    el('details', {}, el('summary', {}, 'The commands of the runs shown'), copyButton(text), el('pre', { tabindex: 0 }, code)));
  onFilter(() => { code.textContent = text(); });
  code.textContent = text();
}
