import { entriesOf, filesOfEntries, filesOfInput, readAll } from './files.js';

const element = (id) => document.getElementById(id);
const MODEL = /\.(dae|fbx|glb|gltf|iqm|md5mesh|vrm|zae)$/i;
/** Formats that only the command reads. */
const COMMAND_ONLY = /\.(b3d|bvh|m3d|mdl|mesh\.xml|ms3d|obj|smd|x)$/i;
const PAGE = '/page.html';

/** The worker, its unanswered calls, and the number of the drop that it works on. */
let worker, calls, drop = 0;
let shown;

// A worker from a blob inherits this page's policy; one from a file would have none.
function start() {
  worker?.terminate();
  calls = new Map();
  const script = `import ${JSON.stringify(new URL('worker.js', import.meta.url).href)};`;
  worker = new Worker(URL.createObjectURL(new Blob([script], { type: 'text/javascript' })), { type: 'module' });
  worker.onmessage = ({ data: { id, result, error } }) => {
    const { done, failed } = calls.get(id);
    calls.delete(id);
    error === undefined ? done(result) : failed(new Error(error));
  };
  worker.onerror = ({ message }) => {
    for (const { failed } of calls.values()) failed(new Error(message ?? 'skincheck cannot be loaded'));
  };
}

function skincheck(...args) {
  return new Promise((done, failed) => {
    const id = `${drop}:${calls.size}:${performance.now()}`;
    calls.set(id, { done, failed });
    worker.postMessage({ id, args });
  });
}

/** Runs a command that writes a page. */
async function pageOf(...args) {
  const { stdout, stderr, files } = await skincheck(...args);
  const page = files[PAGE] && new TextDecoder().decode(files[PAGE]);
  return { page, stdout, stderr };
}

function show(panel, page) {
  const frame = document.createElement('iframe');
  frame.title = element(panel).getAttribute('aria-labelledby').slice('tab-'.length);
  frame.setAttribute('sandbox', 'allow-scripts allow-downloads');
  frame.src = 'frame.html';
  frame.addEventListener('load', () => frame.contentWindow.postMessage(page, '*'), { once: true });
  element(panel).querySelector('.frame').replaceChildren(frame);
}

function say(text) {
  element('status').textContent = text;
}

function complain(text) {
  element('trouble').textContent = text;
  element('trouble').hidden = text === '';
}

/** Does `work` for the current drop and shows what fails. */
async function during(message, work) {
  const own = drop;
  say(message);
  complain('');
  try {
    const done = await work();
    if (own === drop) say(done);
  } catch (error) {
    if (own !== drop) return;
    say('');
    complain(error.message);
  }
}

async function take(gathered) {
  ++drop;
  start();
  element('results').hidden = true;
  await during('Reading …', async () => {
    const own = drop, files = await readAll(await gathered);
    if (own !== drop) return '';
    const paths = [...files.keys()];
    const skipped = paths.filter((path) => COMMAND_ONLY.test(path));
    element('skipped').textContent = `Not checked here; the skincheck command reads them: ${skipped.join(', ')}`;
    element('skipped').hidden = skipped.length === 0;
    const models = paths.filter((path) => MODEL.test(path));
    if (models.length === 0) throw new Error('No model that this page reads: glTF, VRM, FBX, COLLADA, IQM and MD5.');
    // A folder, or a file that is not in one.
    const items = [...new Set(models.map((path) => path.split('/')[0]))];
    worker.postMessage({ files: new Map([...files].map(([path, bytes]) => [`/models/${path}`, bytes])) });
    say(models.length === 1 ? `Checking ${models[0]} …` : `Checking ${models.length} models …`);
    await check(items);
    if (own !== drop) return '';
    shown.pair = items.length === 2 ? items : null;
    element('tab-differences').disabled = !shown.pair;
    element('results').hidden = false;
    select('findings');
    return shown.verdict;
  });
}

async function check(items) {
  const { page, stdout, stderr } = await pageOf('check', '--format', 'json', '--report', `html=${PAGE}`, '--', ...items);
  if (!page) throw new Error(stderr);
  const report = JSON.parse(stdout), { errors, warnings, hints, failed } = report.summary;
  const verdict = [count(errors, 'error'), count(warnings, 'warning'), count(hints, 'hint'), count(failed, 'unreadable file')].join(', ');
  shown = { page, json: stdout, verdict };
  show('findings', page);
  const read = report.models.filter((model) => model.failure === null).map((model) => model.path);
  fill('model', read);
  element('tab-viewer').disabled = read.length === 0;
  const codes = new Set(report.models.flatMap((model) => model.findings.map((finding) => finding.code)));
  fill('rule', [...codes].sort());
  element('tab-explanations').disabled = codes.size === 0;
}

const count = (number, what) => `${number} ${what}${number === 1 ? '' : 's'}`;

function fill(id, values) {
  element(id).replaceChildren(...values.map((value) => new Option(value)));
}

/** What a tab shows is computed when it is first seen. */
const PANELS = {
  async findings() {},
  differences: () => during('Comparing …', async () => {
    if (shown.differences) return shown.verdict;
    const [before, after] = shown.pair;
    element('pair').textContent = `${before} → ${after}`;
    const { page, stdout, stderr } = await pageOf('diff', '--format', 'json', '--report', `html=${PAGE}`, '--', before, after);
    if (!page) throw new Error(stderr);
    Object.assign(shown, { differences: page, differencesJson: stdout });
    show('differences', page);
    return shown.verdict;
  }),
  viewer: () => during('Preparing the viewer …', async () => {
    const model = element('model').value;
    if (shown.viewed === model) return shown.verdict;
    const { page, stderr } = await pageOf('view', '-o', PAGE, '--', model);
    if (!page) throw new Error(stderr);
    Object.assign(shown, { viewed: model, viewer: page });
    show('viewer', page);
    return shown.verdict;
  }),
  explanations: () => during('', async () => {
    const { stdout } = await skincheck('explain', element('rule').value);
    element('explanation').textContent = stdout;
    return shown.verdict;
  }),
};
const tabs = Object.keys(PANELS).map((panel) => element(`tab-${panel}`));

function select(panel) {
  for (const tab of tabs) {
    const isSelected = tab.id === `tab-${panel}`;
    tab.setAttribute('aria-selected', isSelected);
    tab.tabIndex = isSelected ? 0 : -1;
    element(tab.getAttribute('aria-controls')).hidden = !isSelected;
  }
  return PANELS[panel]();
}

for (const tab of tabs) {
  tab.addEventListener('click', () => select(tab.getAttribute('aria-controls')));
  tab.addEventListener('keydown', ({ key }) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[key];
    if (!step) return;
    const usable = tabs.filter((one) => !one.disabled);
    const next = usable.at((usable.indexOf(tab) + step) % usable.length);
    next.focus();
    next.click();
  });
}
element('model').addEventListener('change', () => PANELS.viewer());
element('rule').addEventListener('change', () => PANELS.explanations());
element('swap').addEventListener('click', () => {
  shown.pair.reverse();
  shown.differences = null;
  PANELS.differences();
});

function save(button, name, type, content) {
  element(button).addEventListener('click', () => {
    const link = document.createElement('a');
    link.href = URL.createObjectURL(new Blob([content()], { type }));
    link.download = name();
    link.click();
    URL.revokeObjectURL(link.href);
  });
}

save('save-page', () => 'check.html', 'text/html', () => shown.page);
save('save-json', () => 'check.json', 'application/json', () => shown.json);
save('save-differences', () => 'diff.html', 'text/html', () => shown.differences);
save('save-differences-json', () => 'diff.json', 'application/json', () => shown.differencesJson);
save('save-viewer', () => `${shown.viewed.split('/').at(-1)}.html`, 'text/html', () => shown.viewer);

addEventListener('dragover', (event) => {
  event.preventDefault();
  element('drop').classList.add('over');
});
addEventListener('dragleave', () => element('drop').classList.remove('over'));
addEventListener('drop', (event) => {
  event.preventDefault();
  element('drop').classList.remove('over');
  take(filesOfEntries(entriesOf(event.dataTransfer)));
});
for (const input of [element('files'), element('folder')]) {
  input.addEventListener('change', () => take(filesOfInput(input)));
}
