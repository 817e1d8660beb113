// One run, chosen from the list, from a link or by its address (#run-12).
import { chart } from './charts';
import { overview, type Choice, type Details, type Run } from './data';
import { byId, collapsedBadge, copyButton, duration, el, table } from './dom';
import { onFilter, showsRun } from './filter';
import { memoryView } from './memory';
import { candidates, matrixHeatMap, probes, shownCandidates, switchingPoints, taskCurves } from './specs';

// The label of a run whose learner is planned says so.
const methodOf = (run: Run) =>
  run.policy === 'none' ? run.learner : run.learner === 'plan' ? run.policy : `${run.learner} ${run.policy}`;
const nameOf = (run: Run) => `${run.id}: ${run.benchmark} ${methodOf(run)} seed ${run.seed}`;

// The title of a metric. A tooltip shows its formula and meaning.
function explained(title: string): HTMLElement | string {
  const metric = overview.metrics.find((each) => each.title === title.replace(/, (all|own) classes$/, ''));
  if (!metric) return title;
  return el('span', { title: `${metric.formula}. ${metric.meaning} ${metric.larger_is_better ? 'Larger' : 'Smaller'} is better.` }, title);
}

function accuracyView(details: Details): HTMLElement[] {
  const figures = [];
  const { accuracy, own_accuracy: own } = details;
  const all: [string, number[][] | undefined][] =
    [[own ? ', among all classes' : '', accuracy], [', among the classes of each task', own]];
  for (const [what, matrix] of all) {
    if (!matrix) continue;
    const heatMap = chart(`Accuracy matrix${what}`, (width) => matrixHeatMap(matrix, width));
    figures.push(heatMap.figure, chart(`Forgetting curves${what}: each task as others follow`, (width) => taskCurves(matrix, width)).figure);
  }
  return [el('div', { class: 'charts' }, ...figures)];
}

function searchView(details: Details): HTMLElement[] {
  if (details.decisions.length === 0) return [];
  const figures = overview.knobs.flatMap((knob, k) => {
    const tried = chart(`What the search tried: the score of a simulated future under each ${knob.title}`, (width) => probes(details, k, width), /*wide=*/true).figure;
    const caption = knob.is_of_quota ? `The ${knob.name} part of each new share` : `The ${knob.title} of each task`;
    return [chart(caption, (width) => switchingPoints(details, k, width), /*wide=*/true).figure, tried];
  });
  return [el('h4', {}, 'Switching points'), el('div', { class: 'charts' }, ...figures)];
}

function candidatesCaption(choice: Choice): string {
  const shown = shownCandidates(choice);
  const count = (all: Choice['trials'], complete: number) => all.filter((trial) => trial[2] === complete).length;
  const stopped = count(choice.trials, 0);
  return `What was tried before task ${choice.task}: ${count(shown, 1)} of ${count(choice.trials, 1)} candidates that were tried to the end` +
    (stopped > 0 ? `, and ${count(shown, 0)} of ${stopped} that were stopped early, with their accuracy on the tasks so far` : '') +
    (choice.expected ? '; shaded: the expected interval, dashed: what the run reached' : '');
}

function planView(details: Details): HTMLElement[] {
  const { plan } = details;
  if (!plan) return [];
  const tried = plan.choices.filter((choice) => choice.trials.length > 0);
  const parts = [el('h4', {}, 'Plan'), el('p', { id: 'prediction' }, `Accuracy after the last task: ${plan.text}.`),
    table('What was chosen', plan.head, plan.rows)];
  if (tried.length === 0) return parts;
  const holder = el('div', { class: 'charts' });
  const show = (choice: Choice) => holder.replaceChildren(
    chart(candidatesCaption(choice), (width) => candidates(choice, plan.reached, width), /*wide=*/true).figure);
  if (tried.length > 1) {
    const select = el('select', { id: 'plan-task' }, ...tried.map((choice, k) => el('option', { value: k }, String(choice.task))));
    select.addEventListener('change', () => show(tried[Number(select.value)]));
    parts.push(el('div', { class: 'controls' }, el('label', {}, 'candidates before task', select)));
  }
  show(tried[0]);
  return [...parts, holder];
}

function content(run: Run, details: Details | undefined): HTMLElement[] {
  const command = el('pre', { tabindex: 0 }, el('code', {}, run.command));
  const facts = table('Result', [], [
    ['status', run.status], ['version', run.version], ['finished', run.finished],
    ['time', duration(run.seconds) + (run.parts ? `: training ${run.parts[0].toFixed(1)} s, simulation ${run.parts[1].toFixed(1)} s, evaluation ${run.parts[2].toFixed(1)} s` : '')],
    ...(run.stored ? [['memory', run.stored]] : []),
    ...run.metrics.map(([title, value]) => [explained(title), `${value} %`]),
  ]);
  const parts: HTMLElement[] = [facts];
  if (run.error !== '') parts.unshift(el('p', { class: 'error' }, run.error));
  for (const warning of details?.warnings ?? []) parts.unshift(el('p', { class: 'error' }, `Warning: ${warning}`));
  if (run.collapsed) parts.unshift(el('p', {}, collapsedBadge(), ' The network is dead: these accuracies are not results.'));
  parts.push(el('div', { class: 'command' }, command, copyButton(() => run.command)));
  if (details) parts.push(...planView(details), ...accuracyView(details), ...searchView(details), ...memoryView(run, details));
  else if (run.status === 'done') parts.push(el('p', {}, 'Its accuracy matrix, search and memory are left out to keep this page small; gpscl report --details MB makes more room.'));
  return parts;
}

export function buildRun(details: Map<number, Details>) {
  const section = byId('run');
  const title = el('h2', { id: 'run-title' }, 'One run');
  const choice = el('select', { id: 'run-choice' });
  const view = el('div', { id: 'run-view' });
  section.append(title, el('div', { class: 'controls' }, el('label', {}, 'run', choice)), view);
  let current = -1;
  const show = (id: number) => {
    const run = overview.runs.find((each) => each.id === id);
    if (!run || id === current) return;
    current = id;
    title.textContent = `Run ${nameOf(run)}`;
    choice.value = String(id);
    view.replaceChildren(...content(run, details.get(id)));
  };
  // Prefers runs with the most to show: a search and stored images, then a search, then details, then the latest.
  const first = (runs: Run[]) => runs.find((run) => run.has_sheet && details.get(run.id)?.decisions.some((d) => d.probes.length > 0)) ??
    runs.find((run) => details.get(run.id)?.decisions.some((d) => d.probes.length > 0)) ?? runs.find((run) => details.has(run.id)) ?? runs[0];
  const refill = () => {
    const shown = overview.runs.filter(showsRun);
    choice.replaceChildren(...shown.map((run) => el('option', { value: run.id }, nameOf(run))));
    if (shown.some((run) => run.id === current)) choice.value = String(current);
    else if (shown.length > 0) show(first(shown).id);
    section.hidden = shown.length === 0;
  };
  choice.addEventListener('change', () => { history.replaceState(null, '', `#run-${choice.value}`); show(Number(choice.value)); });
  const followAddress = () => {
    const match = /^#run-(\d+)$/.exec(location.hash);
    if (!match) return;
    show(Number(match[1]));
    section.scrollIntoView();
    section.focus({ preventScroll: true });
  };
  window.addEventListener('hashchange', followAddress);
  onFilter(refill);
  refill();
  followAddress();
}
