import { Memory } from './memory.js';
import { Exit, wasi } from './wasi.js';
import packed from './program.js';

export { Memory };

const PAGE = 64 << 10;
const MIB = 1 << 20;
/** What the program declares. */
const LEAST_MIB = 64, MOST_MIB = 4096;

let program;

/** Compiles the program, once. */
export function compile() {
  program ??= unpack().then(WebAssembly.compile);
  return program;
}

async function unpack() {
  const bytes = Uint8Array.from(atob(packed), (letter) => letter.charCodeAt(0));
  const unpacked = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'));
  return new Response(unpacked).arrayBuffer();
}

/** Runs `skincheck` with `args`. See index.d.ts. */
export async function run(args, options = {}) {
  const { files, disk = new Memory(files), cwd = '/', env = {}, memory: limit = MOST_MIB } = options;
  const { print, stdin = () => 0, terminals = [] } = options;
  const module = await compile();
  const memory = allocate(limit);
  const printed = [[], [], []];
  const host = {
    args: ['skincheck', ...args],
    env: { ...env, PWD: cwd },
    disk,
    print: (stream, bytes) => print ? print(stream, bytes) : printed[stream].push(bytes),
    stdin,
    terminals,
  };
  const code = await start(module, memory, host);
  const [, stdout, stderr] = await Promise.all(printed.map((parts) => new Blob(parts).text()));
  return { code, stdout, stderr, files: disk.takeChanged?.() ?? {} };
}

/** The program's memory: it grows to `limit` MiB, or to less where the system refuses to reserve that much. */
function allocate(limit) {
  if (!(limit >= LEAST_MIB && limit <= MOST_MIB)) {
    throw new RangeError(`memory: ${limit} MiB; the program needs from ${LEAST_MIB} to ${MOST_MIB}`);
  }
  const initial = LEAST_MIB * MIB / PAGE;
  for (let maximum = Math.floor(limit) * MIB / PAGE; ; maximum = Math.max(initial, maximum >> 1)) {
    try {
      return new WebAssembly.Memory({ initial, maximum });
    } catch (error) {
      if (maximum === initial) throw error;
    }
  }
}

async function start(module, memory, host) {
  const instance = await WebAssembly.instantiate(module, { env: { memory }, wasi_snapshot_preview1: wasi(memory, host) });
  try {
    instance.exports._start();
    return 0;
  } catch (error) {
    if (error instanceof Exit) return error.code;
    if (error instanceof WebAssembly.RuntimeError || isOverflow(error)) {
      host.print(2, new TextEncoder().encode(`error: ${ended(error)}; check this model with the skincheck command\n`));
      return 2;
    }
    throw error;
  }
}

/** Whether the stack is exhausted; Firefox has an error of its own for it. */
const isOverflow = (error) => ['RangeError', 'InternalError'].includes(error.name);

/** Why the engine ended the program. It cannot unwind a panic, whose message has been printed. */
const ended = (error) => isOverflow(error)
  ? 'the model is nested too deeply for this WebAssembly engine'
  : `skincheck itself failed (${error.message})`;
