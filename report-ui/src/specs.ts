// The charts as Vega-Lite: pure functions of the data.
import { className, overview, type Candidate, type Choice, type CurvePoint, type Details, type Line } from './data';

export const legendChoice = (field: string) => ({ name: 'chosen', select: { type: 'point', fields: [field] }, bind: 'legend' });
export const dimmed = { condition: { param: 'chosen', value: 1 }, value: 0.12 };
const taskAxis = { type: 'quantitative', axis: { tickMinStep: 1, format: 'd' }, scale: { nice: false, zero: false } };
const percent = { format: '.2f' };

// Numbers of an axis or a legend without trailing zeros: 100 and 99.5. Without a format, an axis of a single value shows
// 100.000000.
export const plainNumbers = { format: ',~r' };

// Makes the chart, with its axes, as wide as the available room.
export const fit = (width: number) => ({ width, autosize: { type: 'fit-x', contains: 'padding' } });

// Puts long lists of labels below the chart, not beside it. The columns share the width without the chart's padding. A
// label gets its column without the symbol and the space between columns.
export const legendBelow = (width: number, columns: number) =>
  ({ title: null, orient: 'bottom', columns, labelLimit: Math.min(260, Math.floor((width - 10) / columns) - 30) });

const lineColour = (lines: Line[], drawn: Set<string>, width: number) => ({
  field: 'label', type: 'nominal', sort: null, scale: { domain: lines.map((line) => line.label) },
  legend: { ...legendBelow(width, width < 420 ? 1 : 2), values: [...drawn], symbolType: 'circle', symbolOpacity: 1 },
});

// Means with their standard deviations, one line per label.
export function curves(lines: Line[], curve: (line: Line) => (CurvePoint | null)[], firstTask: number, title: string,
  width: number): object | null {
  const values = lines.flatMap((line) => curve(line).flatMap((point, k) => point === null ? [] : [{
    label: line.label, task: firstTask + k, mean: 100 * point[0], deviation: 100 * (point[1] ?? 0),
    low: 100 * (point[0] - (point[1] ?? 0)), high: 100 * (point[0] + (point[1] ?? 0)),
  }]));
  if (values.length === 0) return null;
  const y = { type: 'quantitative', scale: { zero: false }, axis: plainNumbers, title };
  return {
    ...fit(width), height: 240, data: { values },
    encoding: { x: { field: 'task', ...taskAxis, title: 'after task' }, color: lineColour(lines, new Set(values.map((value) => value.label)), width) },
    layer: [
      { mark: { type: 'area', opacity: 0.15 },
        encoding: { y: { field: 'low', ...y }, y2: { field: 'high' }, opacity: { condition: { param: 'chosen', value: 0.15 }, value: 0.02 } } },
      { mark: { type: 'line', strokeWidth: 2 }, params: [legendChoice('label')], encoding: { y: { field: 'mean', ...y }, opacity: dimmed } },
      { mark: { type: 'point', filled: true, size: 36 },
        encoding: {
          y: { field: 'mean', ...y }, opacity: dimmed,
          tooltip: [{ field: 'label', title: 'runs' }, { field: 'task', title: 'after task' },
            { field: 'mean', title: 'mean %', ...percent }, { field: 'deviation', title: 'deviation', ...percent }],
        } },
    ],
  };
}

// Puts the names of rows beside them, or above them if there is little room for them and the chart. Also returns the
// height of a row in pixels.
function rowsOf(width: number, beside: number, labelLimit = 190) {
  const isNarrow = width < labelLimit + 230;
  const axis = isNarrow
    ? { labelAlign: 'left', labelPadding: -4, labelOffset: -16, labelLimit: width - 24, ticks: false, domain: false, zindex: 1 }
    : { labelLimit };
  return { y: { field: 'label', type: 'nominal', sort: null, title: null, axis, ...(isNarrow ? { scale: { paddingInner: 0.6, paddingOuter: 0.5 } } : {}) },
    height: isNarrow ? 48 : beside };
}

// The final accuracy: every seed, the mean, its 95 % interval.
export function finalAccuracy(lines: Line[], width: number): object | null {
  if (lines.length === 0) return null;
  const values = lines.map((line) => ({
    label: line.label, mean: 100 * line.accuracy.mean, seeds: line.accuracies.length,
    low: 100 * (line.accuracy.mean - (line.accuracy.half_width ?? 0)),
    high: 100 * (line.accuracy.mean + (line.accuracy.half_width ?? 0)),
  }));
  const seeds = lines.flatMap((line) => line.accuracies.map(([seed, accuracy]) => ({ label: line.label, seed, accuracy: 100 * accuracy })));
  const { y, height } = rowsOf(width, 30);
  const x = { type: 'quantitative', scale: { zero: false }, axis: plainNumbers, title: 'final accuracy, %' };
  const color = { field: 'label', type: 'nominal', sort: null, scale: { domain: lines.map((line) => line.label) }, legend: null };
  return {
    ...fit(width), height: height * lines.length,
    layer: [
      { data: { values }, mark: { type: 'rule', strokeWidth: 2 },
        encoding: { y, color, x: { field: 'low', ...x }, x2: { field: 'high' } } },
      { data: { values: seeds }, mark: { type: 'tick', thickness: 1.5, size: 14, opacity: 0.6 },
        encoding: { y, color, x: { field: 'accuracy', ...x },
          tooltip: [{ field: 'label', title: 'runs' }, { field: 'seed' }, { field: 'accuracy', title: '%', ...percent }] } },
      { data: { values }, mark: { type: 'point', filled: true, size: 90, opacity: 1 },
        encoding: { y, color, x: { field: 'mean', ...x },
          tooltip: [{ field: 'label', title: 'runs' }, { field: 'seeds' }, { field: 'mean', title: 'mean %', ...percent },
            { field: 'low', title: '95 % from', ...percent }, { field: 'high', title: 'to', ...percent }] } },
    ],
  };
}

export function timings(lines: Line[], width: number): object | null {
  const values = lines.flatMap((line) => (['training', 'simulation', 'evaluation'] as const).map((part, order) => ({ label: line.label, part, order, seconds: line.seconds[part] })));
  if (values.length === 0) return null;
  const { y, height } = rowsOf(width, 24);
  return {
    ...fit(width), height: height * lines.length, data: { values }, params: [legendChoice('part')], mark: 'bar',
    encoding: {
      y,
      x: { field: 'seconds', type: 'quantitative', axis: plainNumbers, title: 'seconds a run (mean)' },
      color: { field: 'part', type: 'nominal', sort: null, legend: legendBelow(width, width < 420 ? 1 : 3) },
      opacity: dimmed, order: { field: 'order' },
      tooltip: [{ field: 'label', title: 'runs' }, { field: 'part' }, { field: 'seconds', format: '.2f' }],
    },
  };
}

interface Cell { row: number; column: number; value: number; label?: string }

export function matrixCells(matrix: number[][], label?: string): Cell[] {
  return matrix.flatMap((row, i) => row.map((value, j) => ({ row: i + 1, column: j + 1, value: value / 100, label })));
}

// Rows are empty if no task was tested.
export const testedRows = (matrix: number[][]) => matrix.filter((row) => row.length > 0).length;

const matrixEncoding = {
  x: { field: 'column', type: 'ordinal', title: 'accuracy on task', axis: { labelAngle: 0, labelOverlap: true } },
  y: { field: 'row', type: 'ordinal', title: 'after task', axis: { labelOverlap: true } },
};
const cellTip = [{ field: 'row', title: 'after task' }, { field: 'column', title: 'on task' }, { field: 'value', title: '%', ...percent }];

export function matrixHeatMap(matrix: number[][], width: number): object {
  const values = matrixCells(matrix);
  const all = values.map((cell) => cell.value);
  const middle = (Math.min(...all) + Math.max(...all)) / 2;
  const columns = Math.max(0, ...matrix.map((row) => row.length));
  const hasText = columns <= Math.floor((width - 90) / 28);
  const rows = testedRows(matrix);
  const height = rows > 1 ? Math.min(420, 30 + 30 * rows) : 40;
  const layers: object[] = [{
    mark: 'rect',
    encoding: { color: { field: 'value', type: 'quantitative', legend: { ...plainNumbers, title: '%', gradientLength: Math.min(160, height - 30) } }, tooltip: cellTip },
  }];
  if (hasText) {
    layers.push({
      mark: { type: 'text', fontSize: 10 },
      encoding: { text: { field: 'value', type: 'quantitative', format: '.1f' },
        color: { condition: { test: `datum.value < ${middle}`, value: 'white' }, value: 'black' } },
    });
  }
  return { ...fit(width), height, data: { values }, encoding: matrixEncoding, layer: layers };
}

// The matrices of several labels beside each other, with one colour scale.
export function matrices(parts: { label: string; matrix: number[][] }[], width: number): object | null {
  if (parts.length === 0) return null;
  const columns = Math.max(1, Math.min(parts.length, Math.floor((width - 70) / 190)));
  const side = Math.max(110, Math.min(220, Math.floor((width - 110) / columns) - 28));
  return {
    data: { values: parts.flatMap(({ label, matrix }) => matrixCells(matrix, label)) }, columns,
    facet: { field: 'label', type: 'nominal', sort: parts.map((part) => part.label), title: null, header: { labelLimit: side } },
    spec: {
      width: side, height: side, mark: 'rect',
      encoding: { ...matrixEncoding, color: { field: 'value', type: 'quantitative', legend: { ...plainNumbers, title: '%' } },
        tooltip: [{ field: 'label', title: 'runs' }, ...cellTip] },
    },
  };
}

// How well each task is remembered while later tasks are learnt.
export function taskCurves(matrix: number[][], width: number): object | null {
  if (testedRows(matrix) < 2) return null;
  const values = matrixCells(matrix).filter((cell) => cell.row >= cell.column);
  return {
    ...fit(width), height: 260, data: { values }, params: [legendChoice('column')],
    mark: { type: 'line', point: { filled: true, size: 30 } },
    encoding: {
      x: { field: 'row', ...taskAxis, title: 'after task' },
      y: { field: 'value', type: 'quantitative', scale: { zero: false }, axis: plainNumbers, title: 'accuracy, %' },
      color: { field: 'column', type: 'ordinal', scale: { scheme: 'viridis' }, legend: { title: 'on task', symbolType: 'circle', columns: matrix.length > 12 ? 2 : 1 } },
      opacity: dimmed, tooltip: cellTip,
    },
  };
}

// The candidates that the search tried for each task: the score of the simulated future against knob k of the plan. The
// chosen candidate is highlighted.
export function probes(details: Details, k: number, width: number): object | null {
  const knob = overview.knobs[k];
  const searched = details.decisions.filter((decision) => decision.probes.length > 0);
  if (searched.length === 0) return null;
  const values = searched.flatMap((decision) => decision.probes.map(([plan, accuracy, loss], order) => {
    const chosen = plan.every((value, n) => value === decision.plan[n]);
    return { task: decision.task, value: plan[k], accuracy: accuracy / 100, loss, order: order + 1, quota: decision.quota,
      chosen, tried: chosen ? 'chosen' : 'tried' };
  }));
  const rules = searched.map((decision) => ({ task: decision.task, value: decision.plan[k], end: decision.quota }));
  const columns = Math.max(1, Math.min(searched.length, Math.floor(width / 190)));
  const side = Math.max(100, Math.floor(width / columns) - 78);  // leaves room for the axes
  const x = { field: 'value', type: 'quantitative', title: knob.title, axis: { ...plainNumbers, tickCount: 4 } };
  const y = { field: 'accuracy', type: 'quantitative', title: 'score, %', scale: { zero: false }, axis: { ...plainNumbers, tickCount: 4 } };
  return {
    data: { values: [...values, ...rules.map((rule) => ({ ...rule, is_rule: true }))] }, columns,
    facet: { field: 'task', type: 'ordinal', title: null, header: { labelExpr: "'task ' + datum.value" } },
    resolve: { scale: { x: 'independent', y: 'independent' } },
    spec: {
      width: side, height: 110,
      layer: [
        { transform: [{ filter: 'datum.is_rule' }], mark: { type: 'rule', strokeDash: [3, 3], color: '#d55e00' }, encoding: { x } },
        { transform: [{ filter: '!datum.is_rule' }], mark: { type: 'line', opacity: 0.5, color: '#2b83ba' }, encoding: { x, y } },
        { transform: [{ filter: '!datum.is_rule' }], mark: { type: 'point', filled: true, opacity: 1 },
          encoding: {
            x, y, size: { condition: { test: 'datum.chosen', value: 90 }, value: 40 },
            color: { field: 'tried', type: 'nominal', scale: { domain: ['tried', 'chosen'], range: ['#2b83ba', '#d55e00'] }, legend: { title: null, orient: 'top' } },
            tooltip: [{ field: 'task' }, { field: 'value', title: knob.title }, { field: 'quota', title: knob.is_of_quota ? 'of' : 'quota' }, { field: 'order', title: 'tried as number' },
              { field: 'accuracy', title: 'score %', ...percent }, { field: 'loss', format: '.4f' }],
          } },
      ],
    },
  };
}

const triedToTheEnd = 'tried to the end';
const stoppedEarly = 'stopped early';
const kMostTried = 12;
const kMostStopped = 6;

// Returns the candidates that a chart has room for, the best first.
export function shownCandidates(choice: Choice): Candidate[] {
  const isStopped = ([, , complete]: Candidate) => complete === 0;
  const tried = choice.trials.filter((trial) => !isStopped(trial));
  const best = tried.slice(0, kMostTried);
  const chosen = choice.trials.find((trial) => trial[3] === 1);
  if (chosen && !isStopped(chosen) && !best.includes(chosen)) best.push(chosen);
  return [...best, ...choice.trials.filter(isStopped).slice(0, kMostStopped)];
}

// The candidates of a plan by their accuracy. The interval that was expected is shaded, and a dashed line shows what the
// run reached.
export function candidates(choice: Choice, reached: number, width: number): object | null {
  const shown = shownCandidates(choice);
  if (shown.length === 0) return null;
  const values = shown.map(([settings, accuracy, complete, chosen], k) => ({
    label: `${k + 1}. ${settings}`, settings, accuracy: accuracy / 100, // numbers make equal labels different rows
    outcome: chosen === 1 ? 'chosen' : complete === 1 ? triedToTheEnd : stoppedEarly,
  }));
  const { y, height } = rowsOf(width, 22, 420);
  const x = { type: 'quantitative', scale: { zero: false }, axis: plainNumbers, title: 'accuracy of the trial, %' };
  const domain = ['chosen', triedToTheEnd, stoppedEarly].filter((each) => values.some((value) => value.outcome === each));
  const legend = legendBelow(width, width < 420 ? 1 : 3);
  const colours: Record<string, string> = { chosen: '#d55e00', [triedToTheEnd]: '#2b83ba', [stoppedEarly]: '#8a8f98' };
  const shapes: Record<string, string> = { chosen: 'diamond', [triedToTheEnd]: 'circle', [stoppedEarly]: 'triangle-left' };
  const layers: object[] = [{
    data: { values }, mark: { type: 'point', filled: true, size: 80, opacity: 1 },
    encoding: {
      y, x: { field: 'accuracy', ...x },
      color: { field: 'outcome', type: 'nominal', legend, scale: { domain, range: domain.map((each) => colours[each]) } },
      shape: { field: 'outcome', type: 'nominal', legend, scale: { domain, range: domain.map((each) => shapes[each]) } },
      tooltip: [{ field: 'settings' }, { field: 'accuracy', title: '%', ...percent }, { field: 'outcome' }],
    },
  }];
  if (choice.expected) {
    const [expected, low, high] = choice.expected.map((each) => each / 100);
    const tooltip = [{ field: 'expected', title: 'expected %', ...percent }, { field: 'low', title: 'from', ...percent }, { field: 'high', title: 'to', ...percent }];
    // Below the candidates, so that the pointer finds these.
    layers.unshift({ data: { values: [{ expected, low, high }] }, mark: { type: 'rect', opacity: 0.15, color: '#0f9d75' },
      encoding: { x: { field: 'low', ...x }, x2: { field: 'high' }, tooltip } },
    { data: { values: [{ reached: reached / 100 }] }, mark: { type: 'rule', strokeDash: [4, 3], strokeWidth: 2, color: '#0f9d75' },
      encoding: { x: { field: 'reached', ...x }, tooltip: [{ field: 'reached', title: 'reached %', ...percent }] } });
  }
  return { ...fit(width), height: height * values.length, layer: layers };
}

export interface Predicted { label: string; seed: number; expected: number; low: number; high: number; reached: number }

// What plans predicted, with its interval, against what their runs reached. A bar that crosses the diagonal has what was
// reached in it.
export function predictions(all: Predicted[], width: number): object | null {
  if (all.length === 0) return null;
  const values = all.map((one) => ({ ...one, expected: 100 * one.expected, low: 100 * one.low, high: 100 * one.high, reached: 100 * one.reached }));
  const numbers = values.flatMap(({ expected, low, high, reached }) => [expected, low, high, reached]);
  const room = Math.max(0.5, 0.05 * (Math.max(...numbers) - Math.min(...numbers)));
  const ends = [Math.max(0, Math.min(...numbers) - room), Math.min(100, Math.max(...numbers) + room)];
  const scale = { domain: ends, nice: false, zero: false };
  const x = { type: 'quantitative', scale, axis: plainNumbers, title: 'expected accuracy, %' };
  const y = { field: 'reached', type: 'quantitative', scale, axis: plainNumbers, title: 'reached, %' };
  const labels = [...new Set(values.map((value) => value.label))];
  const color = { field: 'label', type: 'nominal', sort: null, scale: { domain: labels },
    legend: { ...legendBelow(width, width < 420 ? 1 : 2), symbolType: 'circle', symbolOpacity: 1 } };
  return {
    ...fit(width), height: 240,
    layer: [
      { data: { values: ends.map((end) => ({ end })) }, mark: { type: 'line', strokeDash: [3, 3], color: '#8a8f98' },
        encoding: { x: { field: 'end', ...x }, y: { ...y, field: 'end' } } },
      { data: { values }, params: [legendChoice('label')], mark: { type: 'rule', strokeWidth: 2 },
        encoding: { x: { field: 'low', ...x }, x2: { field: 'high' }, y, color, opacity: dimmed } },
      { data: { values }, mark: { type: 'point', filled: true, size: 60 },
        encoding: { x: { field: 'expected', ...x }, y, color, opacity: dimmed,
          tooltip: [{ field: 'label', title: 'runs' }, { field: 'seed' }, { field: 'expected', title: 'expected %', ...percent },
            { field: 'low', title: 'from', ...percent }, { field: 'high', title: 'to', ...percent }, { field: 'reached', title: 'reached %', ...percent }] } },
    ],
  };
}

// Knob k of each task's plan when its share was built, as a percentage of the share if the knob is part of it.
export function switchingPoints(details: Details, k: number, width: number): object | null {
  const knob = overview.knobs[k];
  const values = details.decisions.filter((decision) => decision.quota > 0).map((decision) => ({
    task: decision.task, value: decision.plan[k], quota: decision.quota, share: 100 * decision.plan[k] / decision.quota,
  }));
  if (values.length === 0) return null;
  const share = { field: 'share', type: 'quantitative', scale: { domain: [0, 100] }, title: `${knob.name} part, % of the share` };
  const value = { field: 'value', type: 'quantitative', axis: plainNumbers, title: knob.title };
  return {
    ...fit(width), height: 180, data: { values }, mark: { type: 'line', point: { filled: true, size: 60 } },
    encoding: {
      x: { field: 'task', ...taskAxis, title: 'task' },
      y: knob.is_of_quota ? share : value,
      tooltip: [{ field: 'task' }, { field: 'value', title: knob.title },
        ...(knob.is_of_quota ? [{ field: 'quota', title: 'of' }, { field: 'share', title: '%', format: '.0f' }] : [])],
    },
  };
}

const sum = (counts: number[]) => counts.reduce((a, b) => a + b, 0);
export const ringOf = (share: number[]) => share.slice(0, share.length / 2);
export const reservoirOf = (share: number[]) => share.slice(share.length / 2);

export function memoryByTask(details: Details, width: number): object | null {
  const values = details.memory.flatMap((shares, i) => shares.flatMap((share, j) => [
    { after: i + 1, task: j + 1, part: 'ring', count: sum(ringOf(share)) },
    { after: i + 1, task: j + 1, part: 'reservoir', count: sum(reservoirOf(share)) },
  ])).filter((bar) => bar.count > 0);
  if (values.length === 0) return null;
  return {
    ...fit(width), height: 240, data: { values }, params: [legendChoice('task')], mark: 'bar',
    encoding: {
      x: { field: 'after', type: 'ordinal', title: 'after task', axis: { labelAngle: 0, labelOverlap: true } },
      y: { field: 'count', type: 'quantitative', title: 'stored examples' },
      color: { field: 'task', type: 'ordinal', scale: { scheme: 'viridis' }, legend: { title: 'of task', symbolType: 'square', columns: details.memory.length > 12 ? 2 : 1 } },
      opacity: dimmed, order: { field: 'task' },
      tooltip: [{ field: 'after', title: 'after task' }, { field: 'task', title: 'of task' }, { field: 'part' }, { field: 'count', title: 'examples' }],
    },
  };
}

export function memoryByPart(details: Details, width: number): object | null {
  const values = details.memory.flatMap((shares, i) => [
    { after: i + 1, part: 'ring', count: sum(shares.map((share) => sum(ringOf(share)))) },
    { after: i + 1, part: 'reservoir', count: sum(shares.map((share) => sum(reservoirOf(share)))) },
  ]);
  if (values.length === 0) return null;
  return {
    ...fit(width), height: 240, data: { values }, params: [legendChoice('part')], mark: 'bar',
    encoding: {
      x: { field: 'after', type: 'ordinal', title: 'after task', axis: { labelAngle: 0, labelOverlap: true } },
      y: { field: 'count', type: 'quantitative', title: 'stored examples' },
      color: { field: 'part', type: 'nominal', scale: { domain: ['ring', 'reservoir'], range: ['#d55e00', '#2b83ba'] }, legend: legendBelow(width, 2) },
      opacity: dimmed,
      tooltip: [{ field: 'after', title: 'after task' }, { field: 'part' }, { field: 'count', title: 'examples' }],
    },
  };
}

export type Part = 'both' | 'ring' | 'reservoir';

// Task × class, after one task.
export function memoryByClass(details: Details, after: number, part: Part, width: number): object | null {
  const shares = details.memory[after - 1];
  if (!shares) return null;
  const values = shares.flatMap((share, j) => ringOf(share).map((ring, k) => {
    const reservoir = reservoirOf(share)[k];
    return { task: j + 1, class: className(details, details.labels[j][k]), ring, reservoir,
      count: part === 'ring' ? ring : part === 'reservoir' ? reservoir : ring + reservoir };
  }));
  const most = Math.max(1, ...values.map((cell) => cell.count));
  const domain = [...new Set(details.labels.slice(0, shares.length).flat())].sort((a, b) => a - b).map((label) => className(details, label));
  const labelAngle = details.class_names ? -40 : 0;
  const hasText = new Set(values.map((cell) => cell.class)).size <= 12 && shares.length <= 24;
  const height = Math.min(480, 40 + 22 * details.memory.length);
  const layers: object[] = [{
    mark: 'rect',
    encoding: {
      color: { field: 'count', type: 'quantitative', scale: { domain: [0, most] }, legend: { title: 'examples', gradientLength: Math.min(120, height - 30) } },
      tooltip: [{ field: 'task' }, { field: 'class' }, { field: 'ring', title: 'ring part' }, { field: 'reservoir', title: 'reservoir part' }],
    },
  }];
  if (hasText) {
    layers.push({ mark: { type: 'text', fontSize: 10 }, encoding: {
      text: { field: 'count' }, color: { condition: { test: `datum.count < ${most / 2}`, value: 'white' }, value: 'black' } } });
  }
  return {
    ...fit(width), height, data: { values },
    encoding: {
      x: { field: 'class', type: 'ordinal', title: 'class', scale: { domain }, axis: { labelAngle, labelOverlap: true } },
      y: { field: 'task', type: 'ordinal', title: 'of task', scale: { domain: details.memory.map((_, i) => i + 1) }, axis: { labelOverlap: true } },
    },
    layer: layers,
  };
}
