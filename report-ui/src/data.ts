// The data that gpscl report has put into the page (src/gps/report/page/page.h describes the format). Accuracies of the
// overview are fractions; those of the details are whole numbers of 1/10000.

export interface Mean { mean: number; deviation: number | null; half_width: number | null }
export type CurvePoint = [number, number?]; // mean and standard deviation over seeds; no deviation for a single seed

// A line of a table: all seeds of one spec. If tasks have classes of their own, accuracies are among all classes, and
// those in `own_…` among the classes of each task; otherwise the latter are empty.
export interface Line {
  label: string;
  collapsed: number; // number of runs whose network is dead
  learner: string;
  policy: string;
  runs: number[];
  accuracy: Mean;
  accuracies: [number, number][]; // seed and accuracy
  curve: (CurvePoint | null)[]; // average accuracy after each task; null: no task was tested
  forgetting: (CurvePoint | null)[]; // from the second task on
  own_curve: (CurvePoint | null)[];
  own_forgetting: (CurvePoint | null)[];
  shares: (CurvePoint | null)[][]; // share of the quota, one curve per knob; empty for knobs that are not part of it
  seconds: { training: number; simulation: number; evaluation: number };
}

// Runs that can be compared: they have the same stream, network, training and memory.
export interface Setting {
  title: string;
  benchmark: string;
  tasks: number;
  among: string; // among which classes accuracies are; empty if every task has all classes
  collapsed: string; // what the mark "!" in the table means; empty if there is none
  head: string[];
  rows: string[][]; // as `gpscl runs compare` prints them
  lines: Line[];
}

export interface Run {
  id: number;
  status: string;
  benchmark: string;
  learner: string;
  policy: string;
  tasks: number | null; // null in runs of versions that did not record it
  memory: number | string | null; // examples, or a size such as "784kB"
  stored: string; // "7396 images in 783976 bytes"; empty if it is not recorded
  seed: number;
  accuracy: number | null;
  collapsed: boolean; // whether its network is dead
  metrics: [string, string][]; // title and percent
  seconds: number;
  parts: [number, number, number] | null; // training, simulation, evaluation
  finished: string;
  version: string;
  command: string;
  error: string;
  has_sheet: boolean;
  prediction?: [number, number, number, number]; // the expected accuracy, its interval, what was reached; planned runs only
}

// A chart of recorded analyses, with one line for each kind of task. A point is its x, and then for each measure the
// mean, the standard deviation and the number of seeds, as they are shown; null if there is no value.
export type Measured = [number | null, number | null, number] | null;
export type AnalysisPoint = [number, ...Measured[]];
export interface AnalysisLine { label: string; points: AnalysisPoint[] }
export interface AnalysisChart {
  kind: 'ring-size' | 'forgetting' | 'difficulty' | 'zero-shot';
  title: string;
  benchmark: string;
  learner: string;
  policy: string;
  lines_are: string; // "future", "tasks"
  x: string;
  x_title: string;
  measures: [string, number][]; // name, and digits after the decimal point
  drawn: number; // number of measures that have a chart, from the first
  chance: number | null;
  lines: AnalysisLine[];
  head: string[]; // the same numbers as a table
  rows: string[][];
}
export interface AnalysisTable { title: string; head: string[]; rows: string[][]; about: { benchmark: string; learner: string; policy: string }[] }

// A metric of the catalog. The metrics of runs have the same order.
export interface Metric { name: string; title: string; formula: string; meaning: string; larger_is_better: boolean }

export interface Overview {
  version: string;
  store: string;
  made: string;
  metrics: Metric[];
  settings: Setting[];
  knobs: Knob[];
  runs: Run[];
  sheets_left_out: number;
  details_left_out: number;
  analyses: { charts: AnalysisChart[]; tables: AnalysisTable[] };
  paper: { title: string; head: string[]; rows: string[][]; runs: number[][] }[]; // runs: those of each row
}

export interface Sheet {
  width: number;
  height: number;
  columns: number;
  stored: number; // number of images in the memory; fewer may be shown
  put_back: boolean; // whether permuted pixels are shown in their original places
  images: [number, number, number][]; // task, class, 1 for the ring part
}

// A plan has one number per knob, in the order of overview.knobs.
export interface Knob { name: string; title: string; meaning: string; is_of_quota: boolean }
export interface Decision { task: number; plan: number[]; quota: number; probes: [number[], number, number | null][] }

// A candidate of a plan: its settings, the accuracy of its trial, 1 if it was tried to the end, 1 if it was chosen.
export type Candidate = [string, number, number, number];

// What was planned before a task.
export interface Choice { task: number; trials: Candidate[]; expected?: [number, number, number] }

export interface Plan {
  text: string; // "expected 83.0 to 87.2 %, reached 84.3 %"
  reached: number;
  choices: Choice[];
  head: string[]; // the choices as `gpscl runs show` prints them
  rows: string[][];
}

export interface Details {
  accuracy: number[][];
  own_accuracy?: number[][]; // among the classes of each task; then `accuracy` is among all classes
  labels: number[][]; // of each task
  class_names?: string[]; // by label; absent: classes are numbers
  decisions: Decision[];
  memory: number[][][]; // after each task: for each task the ring part by class, then the reservoir part
  plan?: Plan;
  warnings?: string[];
  sheet?: Sheet;
}

export const className = (details: Details, label: number): string | number => details.class_names?.[label] ?? label;

const text = (id: string) => document.getElementById(id)?.textContent ?? '';

const bytes = (base64: string) => Uint8Array.from(atob(base64), (c) => c.charCodeAt(0));

export const overview: Overview = JSON.parse(text('data-overview'));

export interface AllDetails {
  runs: Map<number, Details>; // only the runs for which there was room
  matrices: Map<number, number[][]>; // the mean matrix of each line with several seeds, stored under its first run
}

export async function readDetails(): Promise<AllDetails> {
  const stream = new Blob([bytes(text('data-details'))]).stream().pipeThrough(new DecompressionStream('gzip'));
  const all = JSON.parse(await new Response(stream).text());
  const byNumber = <T>(entries: Record<string, T>) => new Map(Object.entries(entries).map(([id, value]) => [Number(id), value]));
  return { runs: byNumber<Details>(all.runs), matrices: byNumber<number[][]>(all.matrices) };
}

export function sheetUrl(id: number): string {
  return URL.createObjectURL(new Blob([bytes(text(`sheet-${id}`))], { type: 'image/png' }));
}
