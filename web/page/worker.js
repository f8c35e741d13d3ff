// Runs skincheck on the files that the page has been given.
import { Memory, run } from './skincheck/index.js';

let disk;

onmessage = async ({ data: { id, files, args } }) => {
  try {
    if (files) disk = new Memory(files);
    else postMessage({ id, result: await run(args, { disk, cwd: '/models' }) });
  } catch (error) {
    postMessage({ id, error: String(error) });
  }
};
