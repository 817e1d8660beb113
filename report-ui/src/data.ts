// What gpscl report has put into the page (src/gps/report/page.h says how). Accuracies of the overview are fractions;
// those of the details are whole numbers of 1/10000.

export interface Mean { mean: number; deviation: number | null; half_width: number | null }
export type CurvePoint = [number, number | null]; // mean and standard deviation over seeds

// One line of a table: all seeds of one spec.
export interface Line {
  label: string;
  learner: string;
  policy: string;
  runs: number[];
  accuracy: Mean;
  class_incremental: Mean | null;
  accuracies: [number, number][]; // seed and accuracy
  curve: CurvePoint[]; // average accuracy after each task
  forgetting: CurvePoint[]; // from the second task on
  class_curve: CurvePoint[];
  class_forgetting: CurvePoint[];
  ring_share: (CurvePoint | null)[];
  seconds: { training: number; simulation: number; evaluation: number };
}

// Runs that can be compared: one stream, network, training and memory.
export interface Setting {
  title: string;
  benchmark: string;
  tasks: number;
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
  tasks: string;
  memory: string;
  seed: string;
  accuracy: number | null;
  metrics: [string, string][]; // name and percent
  seconds: number;
  parts: [number, number, number] | null; // training, simulation, evaluation
  finished: string;
  version: string;
  command: string;
  error: string;
  has_sheet: boolean;
}

export interface Overview {
  version: string;
  store: string;
  made: string;
  settings: Setting[];
  runs: Run[];
  sheets_left_out: number;
  paper: { title: string; head: string[]; rows: string[][]; runs: number[][] }[]; // runs: of each row
}

export interface Sheet {
  width: number;
  height: number;
  columns: number;
  stored: number; // images of the memory, of which fewer may be shown
  put_back: boolean; // permuted pixels are shown in their places
  images: [number, number, number][]; // task, class, 1 for the ring part
}

export interface Decision { task: number; ring: number; quota: number; probes: [number, number, number | null][] }

export interface Details {
  accuracy: number[][];
  class_accuracy?: number[][];
  labels: number[][]; // of each task
  decisions: Decision[];
  memory: number[][][]; // after each task: for each task the ring part by class, then the reservoir part
  sheet?: Sheet;
}

const text = (id: string) => document.getElementById(id)?.textContent ?? '';

const bytes = (base64: string) => Uint8Array.from(atob(base64), (c) => c.charCodeAt(0));

export const overview: Overview = JSON.parse(text('data-overview'));

export async function readDetails(): Promise<Map<number, Details>> {
  const stream = new Blob([bytes(text('data-details'))]).stream().pipeThrough(new DecompressionStream('gzip'));
  const all = JSON.parse(await new Response(stream).text());
  return new Map(Object.entries(all).map(([id, details]) => [Number(id), details as Details]));
}

export function sheetUrl(id: number): string {
  return URL.createObjectURL(new Blob([bytes(text(`sheet-${id}`))], { type: 'image/png' }));
}
