// A report whose numbers and names are whatever a test wants, made from the page's template without a run: the formats
// are those of report-ui/src/data.ts.
import { readFileSync, writeFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';

const range = (count) => Array.from({ length: count }, (_, k) => k);

function lineOf(label, run, seconds, tasks, offset, isPerfect) {
  const curve = (first, count) => range(count).map((k) => (isPerfect ? [1, 0] : [Math.max(0, first - 0.01 * k - offset), 0.01]));
  const perfect = isPerfect ? { accuracy: { mean: 1, deviation: 0, half_width: 0 }, accuracies: [[0, 1], [1, 1]] } : {};
  return {
    label, learner: 'er', policy: 'gps:permutation', runs: [run], accuracy: { mean: 0.9 - offset, deviation: 0.01, half_width: 0.02 },
    accuracies: [[0, 0.89 - offset], [1, 0.91 - offset]], curve: curve(0.95, tasks),
    forgetting: curve(0.1, tasks - 1), own_curve: curve(0.5, tasks), own_forgetting: curve(0.3, tasks - 1),
    shares: [curve(0.4, tasks)], seconds: { training: seconds[0], simulation: seconds[1], evaluation: seconds[2] },
    ...perfect,
  };
}

function analysisOf(kind, labels, points, scale) {
  const dots = range(points).map((k) => [k * 50, [scale * (1 + k), 0.1 * scale, 2], [90 - k, 1, 2]]);
  return {
    kind, title: `an analysis of ${kind}`, benchmark: 'p-mnist', learner: 'er', policy: 'gps', lines_are: 'future', x: 'task',
    x_title: 'ring size', measures: [['test loss', 4], ['test accuracy %', 2]], drawn: 2, chance: kind === 'zero-shot' ? 10 : null,
    lines: labels.map((label) => ({ label, points: dots })),
    head: ['future', 'task', 'seeds', 'test loss', 'test accuracy %'],
    rows: labels.flatMap((label) => dots.map(([x, loss, accuracy]) => [label, String(x), '2', `${loss[0].toFixed(4)} ± ${loss[1].toFixed(4)}`,
      `${accuracy[0].toFixed(2)} ± ${accuracy[1].toFixed(2)}`])),
  };
}

// A plan with a choice before each of `choices` tasks, among candidates that are called `names`: `tried` to the end and
// `stopped` early.
function planOf({ choices, names, tried, stopped }, isPerfect) {
  const accuracy = (k) => (isPerfect ? 10000 : Math.max(0, 8750 - 37 * k));
  const trials = range(tried + stopped).map((k) => [names[k % names.length], accuracy(k), k < tried ? 1 : 0, k === 1 ? 1 : 0]);
  const expected = isPerfect ? [10000, 10000, 10000] : [8712, 8533, 8891];
  return {
    text: 'expected 85.3 to 88.9 %, reached 86.1 %', reached: isPerfect ? 10000 : 8612,
    head: ['tasks', 'expected %', 'reached %', 'tried', 'stopped early', 'steps of planning', 'chosen'],
    rows: range(choices).map((k) => [String(k + 1), '87.1 [85.3, 88.9]', '86.1', String(tried + stopped), String(stopped), '12345', names[0]]),
    choices: range(choices).map((k) => ({ task: k + 1, trials, ...(k === 0 ? { expected } : {}) })),
  };
}

// One setting with a line for each of `times` (training, simulation and evaluation of a run, in seconds), called
// `names`; `tasks` tasks; `stored` examples in the memory; losses up to about `loss`. If `isPerfect`, all accuracies are
// 100 %. `classes` are the names of the classes; without them, classes are numbers. `plan` is what planOf() takes: all
// runs are planned then.
export function writeMadeUpReport(template, file, { times, names, tasks, stored, loss, isPerfect = false, classes, plan }) {
  const lines = times.map((seconds, k) => lineOf(names[k % names.length] + (k < names.length ? '' : ` ${k}`), k + 1, seconds, tasks, 0.03 * k, isPerfect));
  const runs = times.map((parts, k) => ({
    id: k + 1, status: 'done', benchmark: 'p-mnist', learner: 'er', policy: 'gps:permutation', tasks, memory: stored,
    seed: 0, accuracy: 0.9, metrics: [['average accuracy', '90.00']], seconds: parts.reduce((a, b) => a + b, 0), parts,
    finished: '2024-01-01 00:00', version: '0.1.0', command: `gpscl run p-mnist --seed ${k}`, error: '', has_sheet: false,
    ...(plan ? { learner: 'plan', policy: 'plan', prediction: isPerfect ? [1, 1, 1, 1] : [0.8712, 0.8533, 0.8891, 0.8612 - 0.03 * k] } : {}),
  }));
  const matrix = range(tasks).map((i) => range(tasks).map((j) => (isPerfect ? 10000 : 9000 - 100 * Math.abs(i - j))));
  const share = range(20).map((k) => Math.ceil(stored / (20 * tasks)) + k);
  const details = {
    accuracy: matrix, own_accuracy: matrix, labels: range(tasks).map(() => range(10)), class_names: classes,
    decisions: range(tasks).map((i) => ({ task: i + 1, plan: [Math.ceil(stored / 3)], quota: stored,
      probes: range(3).map((k) => [[Math.ceil((k + 1) * stored / 3)], 9000 - 50 * k, loss]) })),
    memory: range(tasks).map((i) => range(i + 1).map(() => share)), ...(plan ? { plan: planOf(plan, isPerfect) } : {}),
  };
  const overview = {
    version: '0.1.0', store: 'made-up', made: 'today', metrics: [], sheets_left_out: 0, details_left_out: 0, runs, paper: [],
    knobs: [{ name: 'ring', title: 'ring size', meaning: 'class-balanced', is_of_quota: true }],
    settings: [{ title: 'made-up', benchmark: 'p-mnist', tasks, among: 'accuracies are among all classes', collapsed: '', head: ['runs', 'all classes %'], rows: lines.map((line) => [line.label, '90.00']), lines }],
    analyses: { charts: ['ring-size', 'forgetting', 'difficulty', 'zero-shot'].map((kind) => analysisOf(kind, names, tasks, loss)), tables: [] },
  };
  const all = { runs: Object.fromEntries(runs.map((run) => [run.id, details])), matrices: Object.fromEntries(runs.map((run) => [run.id, matrix])) };
  const embedded = JSON.stringify(overview).replace(/</g, '\\u003c');
  const data = `<script type="application/json" id="data-overview">${embedded}</script>\n` +
    `<script type="application/gzip" id="data-details">${gzipSync(JSON.stringify(all)).toString('base64')}</script>\n`;
  writeFileSync(file, readFileSync(template, 'utf8').replace('<!-- data -->', () => data));
}
