import * as fs from 'node:fs';

import { Fault } from './fault.js';

const { constants } = fs;

/** The file system of this machine, as Node sees it. Only what the program asks for is read. */
export class Disk {
  stat(path, follow) {
    return state(follow ? fs.statSync(host(path), EXACT) : fs.lstatSync(host(path), EXACT));
  }

  open(path, { create, exclusive, truncate, folder, read, write, append }) {
    const where = host(path);
    const found = fs.statSync(where, { ...EXACT, throwIfNoEntry: false });
    if (folder && found && !found.isDirectory()) throw new Fault('ENOTDIR');
    if (found?.isDirectory()) {
      if (create && exclusive) throw new Fault('EEXIST');
      if (write) throw new Fault('EISDIR');
      return { stat: () => state(fs.statSync(where, EXACT)), close() {} };
    }
    const access = write ? (read ? constants.O_RDWR : constants.O_WRONLY) : constants.O_RDONLY;
    const more = [
      [create, constants.O_CREAT], [exclusive, constants.O_EXCL], [truncate, constants.O_TRUNC], [append, constants.O_APPEND],
      [true, constants.O_NONBLOCK ?? 0],
    ];
    return new Handle(fs.openSync(where, more.reduce((flags, [wanted, flag]) => wanted ? flags | flag : flags, access)), append);
  }

  list(path) {
    const entries = fs.readdirSync(host(path), { withFileTypes: true });
    return entries.map((entry) => ({ name: entry.name, kind: kind(entry), id: 0 }));
  }

  makeFolder(path) {
    fs.mkdirSync(host(path));
  }

  removeFolder(path) {
    fs.rmdirSync(host(path));
  }

  remove(path) {
    fs.unlinkSync(host(path));
  }

  rename(from, to) {
    fs.renameSync(host(from), host(to));
  }

  readLink(path) {
    return fs.readlinkSync(host(path));
  }
}

class Handle {
  #file;
  #append;

  constructor(file, append) {
    this.#file = file;
    this.#append = append;
  }

  stat() {
    return state(fs.fstatSync(this.#file, EXACT));
  }

  read(bytes, position) {
    return fs.readSync(this.#file, bytes, 0, bytes.length, position);
  }

  write(bytes, position) {
    return fs.writeSync(this.#file, bytes, 0, bytes.length, this.#append ? null : position);
  }

  resize(size) {
    fs.ftruncateSync(this.#file, size);
  }

  close() {
    fs.closeSync(this.#file);
  }
}

/** Identities of files may exceed what a number holds. */
const EXACT = { bigint: true };

/** `C:\a` is `/C:/a` to the program. */
export const guest = (path) => process.platform === 'win32' ? `/${path.replaceAll('\\', '/')}` : path;

const host = (path) => process.platform === 'win32' ? path.slice(1) || '/' : path;

const state = (stats) => ({
  kind: kind(stats), size: stats.size, id: stats.ino, device: stats.dev, modified: stats.mtimeNs,
});

function kind(entry) {
  if (entry.isFile()) return 'file';
  if (entry.isDirectory()) return 'folder';
  return entry.isSymbolicLink() ? 'link' : 'other';
}
