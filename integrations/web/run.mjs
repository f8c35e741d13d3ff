// Runs skincheck on files in memory. From standard input: `{ files: [path], jobs: [{ args, memory }] }`, with the paths of files below the
// working folder; to standard output: `[{ code, stdout, stderr, files: [path] }]`.
import { readFileSync } from 'node:fs';
import { run } from 'skincheck';

const { files, jobs } = JSON.parse(readFileSync(0, 'utf8'));
const given = Object.fromEntries(files.map((path) => [`/${path}`, readFileSync(path)]));
const results = [];
for (const { args, memory } of jobs) {
  const result = await run(args, { files: given, memory });
  results.push({ ...result, files: Object.keys(result.files) });
}
console.log(JSON.stringify(results));
