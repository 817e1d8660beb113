// Charts and tables of the analyses that gpscl probe and gpscl reproduce have recorded. Each chart shows values over
// seeds and has its numbers in a table.
import { bands, dots } from './analysis_specs';
import { chart } from './charts';
import { overview, type AnalysisChart } from './data';
import { byId, el, table } from './dom';
import { onFilter, showsAnalysis, showsRow } from './filter';

const kinds: [AnalysisChart['kind'], string, string][] = [
  ['ring-size', 'The ring size of a task', 'Loss and accuracy of a task on its test set after all tasks to come, over the size of the ring part of its memory (a_j; Figures 1, 4 (a) and 5 of the paper). offline: the real tasks; the others are pseudo-tasks made of the task itself.'],
  ['forgetting', 'Forgetting of a task', 'The same task after each of the tasks to come (Figure 4 (b)).'],
  ['difficulty', 'The difficulty of tasks', 'Tasks and pseudo-tasks, each learnt alone from the same first weights (Tables 3 and 4): accuracy on its test set.'],
  ['zero-shot', 'Zero-shot transfer', 'Tasks and pseudo-tasks before they are learnt (Table 5). The dashed line is chance.'],
];

const kindId = (kind: string) => `analysis-${kind}`;
const chartsOf = (kind: string) => overview.analyses.charts.filter((each) => each.kind === kind);

// Headings for the table of contents: id and text.
export function analysisKinds(): [string, string][] {
  const all = kinds.filter(([kind]) => chartsOf(kind).length > 0).map(([kind, title]): [string, string] => [kindId(kind), title]);
  return overview.analyses.tables.length > 0 ? [...all, [kindId('tables'), 'In short']] : all;
}

const numbersOf = (analysis: AnalysisChart): HTMLElement =>
  el('details', {}, el('summary', {}, 'The numbers'),
    table(`${analysis.title}: mean ± standard deviation over seeds`, analysis.head, analysis.rows));

function build(analysis: AnalysisChart): HTMLElement {
  const draw = analysis.kind === 'ring-size' || analysis.kind === 'forgetting' ? bands : dots;
  const charts = analysis.measures.slice(0, analysis.drawn).map(([name], m) =>
    chart(`${name.replace(/^./, (c) => c.toUpperCase())}: mean over seeds, ± standard deviation`, (width) => draw(analysis, m, width)));
  return el('section', { class: 'analysis', 'data-kind': analysis.kind }, el('h4', {}, analysis.title),
    el('div', { class: 'charts' }, ...charts.map(({ figure }) => figure)), numbersOf(analysis));
}

// Shows or hides a section together with its entry in the contents.
function show(section: HTMLElement, isShown: boolean) {
  section.hidden = !isShown;
  const entry = document.querySelector<HTMLElement>(`nav a[href="#${section.id}"]`)?.parentElement;
  if (entry) entry.hidden = !isShown;
}

export function buildAnalyses() {
  const section = byId('analyses');
  const parts = kinds.map(([kind, title, about]) => {
    const all = chartsOf(kind).map((analysis) => ({ analysis, element: build(analysis) }));
    const element = el('section', { id: kindId(kind) }, el('h3', {}, title), el('p', {}, about), ...all.map((each) => each.element));
    return { element, all };
  });
  const tables = overview.analyses.tables.map((part) => ({ part, element: table(part.title, part.head, part.rows) }));
  const inShort = el('section', { id: kindId('tables') }, el('h3', {}, 'In short'), ...tables.map(({ element }) => element));
  const about = overview.analyses.charts.length > 0
    ? 'Charts and minima were recorded by gpscl probe and gpscl reproduce; distances and times come from the runs. Lines and dots are means over seeds; bands and bars reach one standard deviation (n − 1) to either side, and a single seed has none.'
    : 'Out of the runs; gpscl probe and gpscl reproduce add analyses of their own.';
  section.append(el('h2', { id: 'analyses-title' }, 'Analyses'), el('p', {}, about),
    ...parts.map(({ element }) => element), inShort);
  const apply = () => {
    for (const { element, all } of parts) {
      const shown = all.filter(({ analysis }) => showsAnalysis(analysis));
      for (const each of all) each.element.hidden = !shown.includes(each);
      show(element, shown.length > 0);
    }
    for (const { part, element } of tables) {
      const rows = [...element.querySelectorAll<HTMLElement>('tbody tr')];
      rows.forEach((row, k) => { row.hidden = !showsRow(part.about[k], part.rows[k]); });
      element.hidden = rows.every((row) => row.hidden);
    }
    show(inShort, tables.some(({ element }) => !element.hidden));
    show(section, !inShort.hidden || parts.some(({ element }) => !element.hidden));
  };
  onFilter(apply);
  apply();
}
