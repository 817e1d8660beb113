// The charts of analyses as Vega-Lite: pure functions of the data.
import type { AnalysisChart } from './data';
import { dimmed, fit, legendBelow, legendChoice, plainNumbers } from './specs';

interface Value { label: string; x: number; mean: number; deviation: number | null; low: number; high: number; seeds: number }

function valuesOf(chart: AnalysisChart, measure: number): Value[] {
  return chart.lines.flatMap((line) => line.points.flatMap((point): Value[] => {
    const measured = point[measure + 1] as AnalysisChart['lines'][number]['points'][number][1];
    if (measured === null || measured === undefined || measured[0] === null) return [];
    const [mean, deviation, seeds] = measured;
    return [{ label: line.label, x: point[0], mean, deviation, seeds, low: mean - (deviation ?? 0), high: mean + (deviation ?? 0) }];
  }));
}

// Each kind of task has the same colour in all charts.
function colourOf(chart: AnalysisChart, width: number): object {
  const first = chart.lines_are === 'future' ? 'offline' : 'real';
  const labels = chart.lines.map((line) => line.label);
  return {
    field: 'label', type: 'nominal', sort: null, scale: { domain: [...new Set([first, 'permutation', 'rotation', 'blurring', ...labels])] },
    legend: { ...legendBelow(width, width < 420 ? 2 : 4), values: labels, symbolType: 'circle', symbolOpacity: 1 },
  };
}

const tipOf = (chart: AnalysisChart, measure: number) => {
  const [name, digits] = chart.measures[measure];
  const format = `.${digits}f`;
  return [{ field: 'label', title: chart.lines_are }, { field: 'x', title: chart.x }, { field: 'mean', title: name, format },
    { field: 'deviation', title: 'deviation', format }, { field: 'seeds' }];
};

// Values over a number: lines with bands.
export function bands(chart: AnalysisChart, measure: number, width: number): object | null {
  const values = valuesOf(chart, measure);
  if (values.length === 0) return null;
  const y = { type: 'quantitative', scale: { zero: false }, axis: plainNumbers, title: chart.measures[measure][0] };
  return {
    ...fit(width), height: 240, data: { values },
    encoding: {
      x: { field: 'x', type: 'quantitative', title: chart.x_title, axis: { ...plainNumbers, tickMinStep: 1, tickCount: 6 }, scale: { nice: false, zero: false } },
      color: colourOf(chart, width),
    },
    layer: [
      { mark: { type: 'area', opacity: 0.15 },
        encoding: { y: { field: 'low', ...y }, y2: { field: 'high' }, opacity: { condition: { param: 'chosen', value: 0.15 }, value: 0.02 } } },
      { mark: { type: 'line', strokeWidth: 2 }, params: [legendChoice('label')], encoding: { y: { field: 'mean', ...y }, opacity: dimmed } },
      { mark: { type: 'point', filled: true, size: 36 }, encoding: { y: { field: 'mean', ...y }, opacity: dimmed, tooltip: tipOf(chart, measure) } },
    ],
  };
}

// Values task by task: dots with bars, the kinds side by side.
export function dots(chart: AnalysisChart, measure: number, width: number): object | null {
  const values = valuesOf(chart, measure);
  if (values.length === 0) return null;
  const y = { type: 'quantitative', scale: { zero: false }, axis: plainNumbers, title: chart.measures[measure][0] };
  const offset = { xOffset: { field: 'label', type: 'nominal', sort: null, scale: { domain: chart.lines.map((line) => line.label) } } };
  const x = { field: 'x', type: 'ordinal', title: chart.x_title, axis: { labelAngle: 0, labelOverlap: true } };
  const layer: object[] = [
    { mark: { type: 'rule', strokeWidth: 2 }, params: [legendChoice('label')],
      encoding: { x, ...offset, y: { field: 'low', ...y }, y2: { field: 'high' }, color: colourOf(chart, width), opacity: dimmed } },
    { mark: { type: 'point', filled: true, size: 60 },
      encoding: { x, ...offset, y: { field: 'mean', ...y }, color: colourOf(chart, width), opacity: dimmed, tooltip: tipOf(chart, measure) } },
  ];
  if (chart.chance !== null) {
    layer.push({ data: { values: [{ chance: chart.chance }] }, mark: { type: 'rule', strokeDash: [4, 4], color: 'currentColor', opacity: 0.6 },
      encoding: { y: { field: 'chance', ...y }, tooltip: [{ field: 'chance', title: 'chance %', format: '.2f' }] } });
  }
  return { ...fit(width), height: 240, data: { values }, layer };
}
