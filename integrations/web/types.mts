// Uses the package as its types promise.
import { readFile } from 'node:fs/promises';
import { Memory, run, type Result } from 'skincheck';

const files = { '/hero.glb': await readFile('hero.glb'), '/skincheck.toml': '' };
const result: Result = await run(['check', 'hero.glb'], { files, memory: 512, env: { NO_COLOR: '1' } });
const page: Uint8Array | undefined = result.files['/hero.html'];
const disk = new Memory(files);
await run(['view', 'hero.glb'], { disk, cwd: '/', print: (stream, bytes) => console.log(stream, bytes.length) });
console.log(result.code, result.stdout, result.stderr, page);
