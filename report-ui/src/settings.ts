// The results: a table and charts for each setting.
import { chart, type Chart } from './charts';
import { overview, type AllDetails, type Line, type Setting } from './data';
import { byId, el, table } from './dom';
import { onFilter, showsLine } from './filter';
import { curves, finalAccuracy, matrices, predictions, testedRows, timings, type Predicted } from './specs';

export const settingId = (index: number) => `setting-${index + 1}`;

// Returns the mean matrix of a line's runs, or null if it has one row or there was no room for it.
function meanMatrix(line: Line, details: AllDetails): number[][] | null {
  const matrix = details.matrices.get(line.runs[0]) ?? (line.runs.length === 1 ? details.runs.get(line.runs[0])?.accuracy : undefined);
  return matrix && testedRows(matrix) > 1 ? matrix : null;
}

// Returns what the plans of these lines predicted, by run.
function predictionsOf(lines: Line[]): Predicted[] {
  return lines.flatMap((line) => overview.runs.filter((run) => line.runs.includes(run.id)).flatMap((run) => {
    if (!run.prediction) return [];
    const [expected, low, high, reached] = run.prediction;
    return [{ label: line.label, seed: run.seed, expected, low, high, reached }];
  }));
}

function build(setting: Setting, index: number, details: AllDetails): HTMLElement {
  let shown: Line[] = setting.lines;
  const charts: Chart[] = [];
  const add = (caption: string, spec: (width: number) => object | null, wide = false) => {
    charts.push(chart(caption, spec, wide));
  };
  const hasOwn = setting.lines.some((line) => line.own_curve.length > 0);
  const among = setting.among === '' ? '' : ', among all classes';
  add(`Final accuracy${among}: mean with its 95 % interval, seeds as ticks`, (width) => finalAccuracy(shown, width));
  if (predictionsOf(setting.lines).length > 0) {
    add('What plans expected, with its interval, against what their runs reached; the diagonal: as expected',
      (width) => predictions(predictionsOf(shown), width));
  }
  add('Time of a run', (width) => timings(shown, width));
  add(`Average accuracy on the tasks so far${among}: mean over seeds, ± standard deviation`,
    (width) => curves(shown, (line) => line.curve, 1, 'accuracy, %', width));
  add(`Forgetting of the tasks before${among}: mean over seeds, ± standard deviation`,
    (width) => curves(shown, (line) => line.forgetting, 2, 'forgetting, points', width));
  if (hasOwn) {
    add('Average accuracy on the tasks so far, among the classes of each task',
      (width) => curves(shown, (line) => line.own_curve, 1, 'accuracy, %', width));
    add('Forgetting of the tasks before, among the classes of each task',
      (width) => curves(shown, (line) => line.own_forgetting, 2, 'forgetting, points', width));
  }
  overview.knobs.forEach((knob, k) => {
    if (!setting.lines.some((line) => line.shares[k].length > 0)) return;
    add(`Switching points: the ${knob.meaning} part of each new share, % (mean over seeds, ± standard deviation)`,
      (width) => curves(shown, (line) => line.shares[k], 1, `${knob.name} part, %`, width));
  });
  const heatMaps = chart(`Accuracy matrices${among}: means over seeds`, (width) => matrices(shown.flatMap((line) => {
    const matrix = meanMatrix(line, details);
    return matrix === null ? [] : [{ label: line.label, matrix }];
  }), width), /*wide=*/true);
  const rows = table('Accuracies in percent: mean ± standard deviation over seeds; differences seed by seed, with their 95 % interval',
    setting.head, setting.rows);
  const section = el('section', { id: settingId(index), class: 'setting', 'aria-labelledby': `${settingId(index)}-title` },
    el('h3', { id: `${settingId(index)}-title` }, setting.title), rows,
    ...(setting.among === '' ? [] : [el('p', {}, setting.among)]),
    ...(setting.collapsed === '' ? [] : [el('p', { class: 'error' }, setting.collapsed)]),
    el('div', { class: 'charts' }, ...charts.map((each) => each.figure), heatMaps.figure));
  onFilter(() => {
    const next = setting.lines.filter((line) => showsLine(line, setting));
    section.hidden = next.length === 0;
    const entry = document.querySelector<HTMLElement>(`nav a[href="#${settingId(index)}"]`)?.parentElement;
    if (entry) entry.hidden = section.hidden;
    if (next.length === shown.length && next.every((line, k) => line === shown[k])) return;
    shown = next;
    rows.querySelectorAll<HTMLElement>('tbody tr').forEach((row, k) => { row.hidden = !shown.includes(setting.lines[k]); });
    if (!section.hidden) for (const each of [...charts, heatMaps]) each.redraw();
  });
  return section;
}

export function buildSettings(details: AllDetails) {
  const none = overview.settings.length === 0 ? el('p', {}, 'No run is done yet.') : null;
  byId('results').append(el('h2', { id: 'results-title' }, 'Results'), ...(none ? [none] : []),
    ...overview.settings.map((setting, index) => build(setting, index, details)));
}
