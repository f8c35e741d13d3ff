#!/usr/bin/env node
// The command `skincheck` on the files of this machine.
import { readSync, writeSync } from 'node:fs';

import { Disk, guest } from './disk.js';
import { run } from './index.js';

function print(stream, bytes) {
  for (let done = 0; done < bytes.length;) {
    try {
      done += writeSync(stream, bytes, done);
    } catch (error) {
      // A pipe that is full, and one whose reader has gone.
      if (error.code === 'EPIPE') process.exit(2);
      if (error.code !== 'EAGAIN') throw error;
    }
  }
}

function stdin(bytes) {
  try {
    return readSync(0, bytes);
  } catch (error) {
    if (error.code === 'EOF') return 0;
    throw error;
  }
}

const terminals = [process.stdin, process.stdout, process.stderr].map((stream) => stream.isTTY === true);
const result = await run(process.argv.slice(2), {
  disk: new Disk(), cwd: guest(process.cwd()), env: process.env, print, stdin, terminals,
});
process.exitCode = result.code;
