// Shows the memory of a run: as charts, and as the stored images.
import { chart, type Chart } from './charts';
import { className, sheetUrl, type Details, type Run, type Sheet } from './data';
import { el } from './dom';
import { memoryByClass, memoryByPart, memoryByTask, type Part } from './specs';

function byClass(details: Details): HTMLElement {
  let after = details.memory.length;
  let part: Part = 'both';
  const slider = el('input', { type: 'range', min: 1, max: details.memory.length, value: after, id: 'memory-after' });
  const said = el('output', { for: 'memory-after' }, String(after));
  const parts = el('select', { id: 'memory-part' },
    ...['both', 'ring', 'reservoir'].map((value) => el('option', { value }, value)));
  const picture: Chart = chart('Task × class', (width) => memoryByClass(details, after, part, width));
  slider.addEventListener('input', () => {
    after = Number(slider.value);
    said.textContent = slider.value;
    picture.redraw();
  });
  parts.addEventListener('change', () => { part = parts.value as Part; picture.redraw(); });
  picture.figure.querySelector('figcaption')?.after(el('div', { class: 'controls' },
    el('label', {}, 'after task', slider, said), el('label', {}, 'part', parts)));
  return picture.figure;
}

function contactSheet(details: Details, sheet: Sheet, url: string): HTMLElement {
  const tasks = [...new Set(sheet.images.map(([task]) => task))].sort((a, b) => a - b);
  const rows = tasks.map((task) => {
    const all = sheet.images.map((image, k) => ({ image, k })).filter(({ image }) => image[0] === task)
      .sort((a, b) => b.image[2] - a.image[2] || a.image[1] - b.image[1]);
    const inRing = all.filter(({ image }) => image[2] === 1).length;
    const tiles = all.map(({ image: [, label, part], k }) => el('span', {
      class: part === 1 ? 'tile ring' : 'tile', title: `class ${className(details, label)}, ${part === 1 ? 'ring' : 'reservoir'} part`,
      style: `--column:${k % sheet.columns};--row:${Math.floor(k / sheet.columns)}`,
    }));
    return el('div', { class: 'sheet-row' }, el('h5', {}, `Task ${task}: ${all.length} images, ${inRing} in the ring part`),
      el('div', { class: 'tiles', role: 'img', 'aria-label': `the ${all.length} stored images of task ${task}` }, ...tiles));
  });
  const container = el('div', { class: 'sheet' }, ...rows);
  container.style.setProperty('--sheet', `url("${url}")`);
  container.style.setProperty('--columns', String(sheet.columns));
  container.style.setProperty('--rows', String(Math.ceil(sheet.images.length / sheet.columns)));
  container.style.setProperty('--ratio', String(sheet.height / sheet.width));
  return container;
}

export function memoryView(run: Run, details: Details): HTMLElement[] {
  if (details.memory.length === 0) return [];
  const parts: HTMLElement[] = [
    el('h4', {}, 'The memory through time'),
    el('div', { class: 'charts' }, chart('By part', (width) => memoryByPart(details, width)).figure,
      chart('By task', (width) => memoryByTask(details, width)).figure, byClass(details)),
    el('h4', {}, 'The stored images after the last task'),
  ];
  if (details.sheet) {
    const fewer = details.sheet.images.length < details.sheet.stored ? ` ${details.sheet.images.length} of ${details.sheet.stored} are shown.` : '';
    const note = details.sheet.put_back ? ' The network sees them with the pixels of each task permuted; here they are put back.' : '';
    parts.push(el('p', {}, 'By task; the ring part first, with a frame; by class within each part.' + fewer + note),
      contactSheet(details, details.sheet, sheetUrl(run.id)));
  } else {
    parts.push(el('p', {}, 'Not in this report. gpscl run … --export memory keeps them beside the store, and gpscl report takes them from there, up to a limit (--images).'));
  }
  return parts;
}
