// Fails if glTF-Validator finds more in the last file than in each of the others, by any of its codes.
import fs from "node:fs";
import path from "node:path";
import validator from "gltf-validator";

async function counts(file) {
  const external = (uri) =>
    fs.promises.readFile(path.join(path.dirname(file), decodeURIComponent(uri))).then((bytes) => new Uint8Array(bytes));
  const report = await validator.validateBytes(new Uint8Array(fs.readFileSync(file)), {
    externalResourceFunction: external,
    maxIssues: 0,
  });
  const counts = new Map();
  for (const { code } of report.issues.messages) counts.set(code, (counts.get(code) ?? 0) + 1);
  return counts;
}

const all = await Promise.all(process.argv.slice(2).map(counts));
const after = all.pop();
const more = [...after].filter(([code, count]) => all.every((before) => count > (before.get(code) ?? 0)));
const sum = (counts) => [...counts.values()].reduce((a, b) => a + b, 0);
console.log(`${path.basename(process.argv[2])}: ${all.map(sum)} issues, repaired ${sum(after)}`, ...more);
process.exit(more.length > 0 ? 1 : 0);
