// The filter bar. It applies to every section of the page.
import { overview, type AnalysisChart, type Line, type Run, type Setting } from './data';
import { byId, el } from './dom';

const chosen = { benchmark: '', learner: '', policy: '', text: '' };
const listeners: (() => void)[] = [];

export const onFilter = (listener: () => void) => listeners.push(listener);

// Splits the text at commas. Each part must occur exactly: "seed 1, imbalance".
const phrases = () => chosen.text.toLowerCase().split(',').map((phrase) => phrase.trim());

function fits(what: { benchmark: string; learner: string; policy: string }): boolean {
  return (['benchmark', 'learner', 'policy'] as const).every((key) => chosen[key] === '' || what[key] === chosen[key]);
}

export function showsRun(run: Run): boolean {
  const all = [run.id, run.status, run.benchmark, run.learner, run.policy, `seed ${run.seed}`, run.command, run.error].join(' ').toLowerCase();
  return fits(run) && phrases().every((phrase) => all.includes(phrase));
}

export function showsLine(line: Line, setting: Setting): boolean {
  const all = `${setting.title} ${line.label} ${line.learner} ${line.policy}`.toLowerCase();
  return fits({ ...line, benchmark: setting.benchmark }) &&
    (phrases().every((phrase) => all.includes(phrase)) || overview.runs.some((run) => line.runs.includes(run.id) && showsRun(run)));
}

export function showsAnalysis(chart: AnalysisChart): boolean {
  const all = [chart.kind, chart.title, chart.learner, chart.policy, ...chart.lines.map((line) => line.label)].join(' ').toLowerCase();
  return fits(chart) && phrases().every((phrase) => all.includes(phrase));
}

export function showsRow(row: { benchmark: string; learner: string; policy: string }, cells: string[]): boolean {
  const all = [row.learner, row.policy, ...cells].join(' ').toLowerCase();
  return fits(row) && phrases().every((phrase) => all.includes(phrase));
}

export function buildFilters() {
  const form = byId('filters') as HTMLFormElement;
  const count = el('output', { 'aria-live': 'polite' });
  const changed = () => {
    const shown = overview.runs.filter(showsRun).length;
    count.textContent = `${shown} of ${overview.runs.length} runs`;
    for (const listener of listeners) listener();
  };
  for (const key of ['benchmark', 'learner', 'policy'] as const) {
    const values = [...new Set([...overview.runs, ...overview.analyses.charts].map((each) => each[key]))].sort();
    const select = el('select', { id: `filter-${key}` }, el('option', { value: '' }, 'all'),
      ...values.map((value) => el('option', { value }, value)));
    select.addEventListener('change', () => { chosen[key] = select.value; changed(); });
    form.append(el('label', {}, key, select));
  }
  const text = el('input', { type: 'search', id: 'filter-text', placeholder: 'seed 0, failed', autocomplete: 'off' });
  let timer = 0;
  text.addEventListener('input', () => {
    clearTimeout(timer);
    timer = window.setTimeout(() => { chosen.text = text.value; changed(); }, 150);
  });
  form.append(el('label', { class: 'grow' }, 'text', text), el('button', { type: 'reset' }, 'Clear'), count);
  form.addEventListener('reset', () => setTimeout(() => {
    Object.assign(chosen, { benchmark: '', learner: '', policy: '', text: '' });
    changed();
  }));
  form.addEventListener('submit', (event) => event.preventDefault());
  changed();
}
