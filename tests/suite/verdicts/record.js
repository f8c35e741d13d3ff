// Prints what glTF-Validator says of files, for validator.tsv: `file`, tab, code; each code once a file, sorted.
//   npm install gltf-validator@2.0.0-dev.3.10
//   node record.js fixtures/rules/*.gltf $SKINCHECK_CORPUS/*/*.gl[tb]* target/tmp/validator/*.gltf > validator.tsv
const validator = require('gltf-validator');
const fs = require('fs');
const path = require('path');

const resource = (folder) => (uri) => fs.promises
  .readFile(path.resolve(folder, decodeURIComponent(uri)))
  .then((bytes) => new Uint8Array(bytes));

async function codes(file) {
  const report = await validator.validateBytes(new Uint8Array(fs.readFileSync(file)), {
    uri: path.basename(file),
    maxIssues: 0,
    externalResourceFunction: resource(path.dirname(file)),
  });
  return [...new Set(report.issues.messages.map((message) => message.code))].sort();
}

(async () => {
  for (const file of process.argv.slice(2).sort()) {
    for (const code of await codes(file)) console.log(`${path.basename(file)}\t${code}`);
  }
})();
