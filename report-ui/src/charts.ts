// Vega-Lite charts. They are drawn when they come into view, or when the browser is idle.
import embed, { type VisualizationSpec } from 'vega-embed';

import { el } from './dom';

// Text and lines take the colour of the page, so a chart needs no second drawing for the dark theme, and prints black.
const config = {
  background: 'transparent',
  font: 'system-ui, sans-serif',
  view: { stroke: null },
  axis: {
    labelColor: 'currentColor', titleColor: 'currentColor', domainColor: 'currentColor', tickColor: 'currentColor',
    gridColor: 'currentColor', gridOpacity: 0.12, domainOpacity: 0.4, tickOpacity: 0.4, labelFontSize: 11,
    titleFontWeight: 'normal', titleFontSize: 12,
  },
  // A number that would reach beyond its axis is left out. Vega reserves room for labels once, before it knows which
  // labels there are at the remaining width.
  axisX: { labelBound: true, labelSeparation: 3 },
  legend: {
    labelColor: 'currentColor', titleColor: 'currentColor', labelLimit: 260, symbolLimit: 0, titleFontWeight: 'normal',
    layout: { bottom: { anchor: 'start', frame: 'bounds' } }, // below the axis, not only below the plot
  },
  header: { labelColor: 'currentColor', titleColor: 'currentColor', labelFontSize: 11 },
  title: { color: 'currentColor', fontWeight: 'normal' },
  range: {
    category: ['#2b83ba', '#d55e00', '#0f9d75', '#c25b9b', '#a6761d', '#7b6fd0', '#e0a100', '#5f8f2f', '#8a8f98', '#c0392b'],
    heatmap: { scheme: 'viridis' }, ramp: { scheme: 'viridis' },
  },
};

export interface Chart { figure: HTMLElement; redraw: () => void }

const waiting = new Map<HTMLElement, () => Promise<void>>();
const observer = new IntersectionObserver((entries) => {
  for (const entry of entries) if (entry.isIntersecting) void start(entry.target as HTMLElement);
}, { rootMargin: '400px' });

async function start(host: HTMLElement) {
  const draw = waiting.get(host);
  if (!draw) return;
  waiting.delete(host);
  observer.unobserve(host);
  try {
    await draw();
  } catch (error) {
    console.error(error);
    host.textContent = `This chart cannot be drawn: ${String(error)}`;
  }
}

function whenIdle(work: () => void) {
  if ('requestIdleCallback' in window) requestIdleCallback(work, { timeout: 2000 });
  else setTimeout(work, 100);
}

let isDrawing = false;
async function drawRest() {
  const next = waiting.keys().next();
  if (next.done) { isDrawing = false; return; }
  await start(next.value);
  whenIdle(() => void drawRest());
}

function drawLater(host: HTMLElement, draw: () => Promise<void>) {
  waiting.set(host, draw);
  observer.observe(host);
  if (!isDrawing) { isDrawing = true; whenIdle(() => void drawRest()); }
}

const tooltip = { theme: 'custom' };

// Returns the whole pixels that a chart may take, or 0 if it is not shown. clientWidth is rounded and may be too large.
const widthOf = (host: HTMLElement) => Math.floor(host.getBoundingClientRect().width);

const kNarrowest = 240; // in a narrower box the chart is scaled down

// `spec` gets the available width. A chart whose spec is null is hidden. A chart that is not shown is drawn when it
// becomes visible. While the drawing is up to date, `data-drawn` holds the width for which it was drawn.
export function chart(caption: string, spec: (width: number) => object | null, wide = false): Chart {
  const host = el('div', { class: 'plot' });
  const figure = el('figure', { class: wide ? 'wide' : '' }, el('figcaption', {}, caption), host);
  let finalize = () => {};
  let width = 0; // width of the last or current drawing
  let asked = 0; // number of requests to draw
  const draw = async () => {
    const now = asked;
    width = widthOf(host);
    if (width === 0) return;
    const current = spec(Math.max(kNarrowest, width));
    figure.hidden = current === null;
    finalize();
    finalize = () => {};
    host.replaceChildren();
    if (current === null) return;
    const full = { $schema: 'https://vega.github.io/schema/vega-lite/v6.json', description: caption, ...current };
    const view = await embed(host, full as VisualizationSpec, {
      ast: true, config: config as never, renderer: 'svg', tooltip, downloadFileName: caption.replace(/[^\w-]+/g, '-'),
      actions: { export: { svg: true, png: true }, source: false, compiled: false, editor: false },
    });
    finalize = () => view.finalize();
    if (now === asked) host.dataset.drawn = String(width);
  };
  let last = Promise.resolve(); // one drawing after another, each with the current data
  const redraw = () => {
    ++asked;
    figure.hidden = false;
    delete host.dataset.drawn;
    drawLater(host, () => (last = last.then(draw, draw)));
  };
  redraw();
  followers.set(host, () => {
    if (matchMedia('print').matches) return; // a printed chart is scaled
    const there = widthOf(host);
    if (there > 0 && there !== width && !waiting.has(host)) redraw();
  });
  widths.observe(host);
  return { figure, redraw };
}

// Charts are drawn again after their width has changed and is stable.
const followers = new Map<Element, () => void>();
let timer = 0;
const widths = new ResizeObserver((entries) => {
  for (const { target } of entries) {
    if (target.isConnected) continue;
    widths.unobserve(target);
    followers.delete(target);
  }
  clearTimeout(timer);
  timer = window.setTimeout(() => followers.forEach((follow) => follow()), 200);
});
