// The page of gpscl report.
import { analysisKinds, buildAnalyses } from './analyses';
import { overview, readDetails } from './data';
import { byId, duration, el, table } from './dom';
import { buildFilters } from './filter';
import { buildPaper } from './paper';
import { buildRun } from './run';
import { buildCommands, buildRuns } from './runs';
import { buildSettings, settingId } from './settings';

const themes = ['auto', 'light', 'dark'] as const;

// Follows the system's theme unless the reader chooses another.
function buildTheme() {
  const button = byId('theme');
  let current = 0;
  try { current = Math.max(0, themes.indexOf((localStorage.getItem('gpscl-theme') ?? 'auto') as never)); } catch { /* a file may have no storage */ }
  const apply = () => {
    document.documentElement.dataset.theme = themes[current];
    button.textContent = `Colours: ${themes[current]}`;
  };
  button.addEventListener('click', () => {
    current = (current + 1) % themes.length;
    try { localStorage.setItem('gpscl-theme', themes[current]); } catch { /* likewise */ }
    apply();
  });
  apply();
}

function buildOverview() {
  const { runs, settings } = overview;
  const done = runs.filter((run) => run.status === 'done');
  const total = runs.reduce((sum, run) => sum + run.seconds, 0);
  byId('about').textContent = `${overview.store}, ${overview.made}, gpscl ${overview.version}`;
  const tile = (value: string | number, what: string) => el('li', {}, el('strong', {}, String(value)), ` ${what}`);
  const count = (n: number, one: string, many: string) => tile(n, n === 1 ? one : many);
  const others = [...new Set(runs.map((run) => run.status))].filter((status) => status !== 'done')
    .map((status) => tile(runs.filter((run) => run.status === status).length, status));
  // Lines with a dead network count only where there is no other.
  const best = settings.map((setting) => setting.lines.reduce((a, b) =>
    (a.collapsed > 0) !== (b.collapsed > 0) ? (a.collapsed > 0 ? b : a) : b.accuracy.mean > a.accuracy.mean ? b : a));
  const predicted = runs.flatMap((run) => run.prediction ? [run.prediction] : []);
  const within = predicted.filter(([, low, high, reached]) => low <= reached && reached <= high).length;
  const section = byId('overview');
  section.append(el('h2', { id: 'overview-title' }, 'Overview'),
    el('ul', { class: 'tiles-of-facts' }, count(done.length, 'run done', 'runs done'), ...others,
      count(settings.length, 'setting', 'settings'), count(new Set(runs.map((run) => run.learner)).size, 'learner', 'learners'),
      count(new Set(runs.map((run) => run.policy)).size, 'policy', 'policies'),
      ...(predicted.length > 0 ? [tile(`${within} of ${predicted.length}`, 'within the interval of the plan')] : []),
      tile(duration(total), 'in all')));
  if (settings.length > 0) {
    section.append(table('Settings, and the highest mean accuracy in each', ['setting', 'lines', 'runs', 'highest', 'accuracy %'],
      settings.map((setting, k) => [el('a', { href: `#${settingId(k)}` }, setting.title), String(setting.lines.length),
        String(new Set(setting.lines.flatMap((line) => line.runs)).size), best[k].label,
        setting.rows[setting.lines.indexOf(best[k])][setting.head.indexOf(setting.among === '' ? 'accuracy %' : 'all classes %')]])));
  }
  if (overview.details_left_out > 0) {
    section.append(el('p', { id: 'details-left-out' }, `To keep this page small, ${overview.details_left_out} of ${done.length} runs are shown without their accuracy matrix, search and memory, the lowest seeds of each kind of run being kept; means and tables are over all runs. gpscl report --details MB makes more room.`));
  }
  if (overview.sheets_left_out > 0) {
    section.append(el('p', {}, `The stored images of ${overview.sheets_left_out} runs are left out to keep this page small; gpscl report --images MB raises the limit.`));
  }
}

function buildContents() {
  const link = (href: string, text: string, ...below: HTMLElement[]) => el('li', {}, el('a', { href }, text), ...below);
  const settings = overview.settings.length > 0
    ? [el('ol', {}, ...overview.settings.map((setting, k) => link(`#${settingId(k)}`, setting.title)))] : [];
  const entries = [link('#overview', 'Overview'), link('#results', 'Results', ...settings)];
  if (overview.paper.length > 0) entries.push(link('#paper', 'The paper beside ours'));
  const kinds = analysisKinds();
  if (kinds.length > 0) entries.push(link('#analyses', 'Analyses', el('ol', {}, ...kinds.map(([id, title]) => link(`#${id}`, title)))));
  entries.push(link('#run', 'One run'), link('#runs', 'Runs'), link('#commands', 'Commands'));
  const whole = el('details', {}, el('summary', {}, 'Contents'), el('ol', {}, ...entries));
  const wide = matchMedia('(min-width: 1100px)');
  whole.open = wide.matches;
  wide.addEventListener('change', () => { whole.open = wide.matches; });
  byId('contents').append(whole);
}

async function main() {
  buildTheme();
  buildContents();
  buildOverview();
  buildPaper();
  buildAnalyses();
  const details = await readDetails();
  buildSettings(details);
  buildRuns();
  buildCommands();
  buildFilters();
  buildRun(details.runs);
  document.documentElement.dataset.ready = 'true';
}

main().catch((error: unknown) => {
  byId('overview').append(el('p', { class: 'error' }, `This page cannot show its data: ${String(error)}`));
  throw error;
});
