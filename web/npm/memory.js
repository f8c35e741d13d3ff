import { Fault } from './fault.js';

let identities = 0;

/** In nanoseconds. */
const now = () => BigInt(Date.now()) * 1_000_000n;

const folder = () => ({ kind: 'folder', children: new Map(), id: ++identities, modified: now() });

/** A file system in memory. Paths begin with `/`; folders come into being with their files. */
export class Memory {
  #root = folder();
  #changed = new Set();

  /** @param files by path: text, or bytes, which are not copied */
  constructor(files = {}) {
    const listed = files instanceof Map ? files : Object.entries(files);
    for (const [path, content] of listed) {
      const bytes = typeof content === 'string' ? new TextEncoder().encode(content) : content;
      this.#put(path, bytes);
    }
    this.#changed.clear();
  }

  /** The files that were written since the last call, by path. */
  takeChanged() {
    const files = {};
    for (const path of [...this.#changed].sort()) {
      const node = this.#find(path);
      if (node?.kind === 'file') files[path] = node.bytes.slice(0, node.size);
    }
    this.#changed.clear();
    return files;
  }

  stat(path) {
    return state(this.#at(path));
  }

  /** @returns a handle of the file or folder at `path` */
  open(path, { create, exclusive, truncate, folder: wantsFolder, write }) {
    let node = this.#find(path);
    if (node && create && exclusive) throw new Fault('EEXIST');
    if (!node && !create) throw new Fault('ENOENT');
    node ??= this.#put(path, new Uint8Array());
    if (wantsFolder && node.kind !== 'folder') throw new Fault('ENOTDIR');
    if (write && node.kind === 'folder') throw new Fault('EISDIR');
    if (truncate) node.size = 0;
    if (truncate || create) this.#changed.add(normal(path));
    return new Handle(node, () => this.#changed.add(normal(path)));
  }

  list(path) {
    const node = this.#at(path);
    if (node.kind !== 'folder') throw new Fault('ENOTDIR');
    return [...node.children].map(([name, { kind, id }]) => ({ name, kind, id }));
  }

  makeFolder(path) {
    if (this.#find(path)) throw new Fault('EEXIST');
    const [parent, name] = this.#parent(path);
    parent.children.set(name, folder());
  }

  removeFolder(path) {
    const node = this.#at(path);
    if (node.kind !== 'folder') throw new Fault('ENOTDIR');
    if (node.children.size) throw new Fault('ENOTEMPTY');
    const [parent, name] = this.#parent(path);
    parent.children.delete(name);
  }

  remove(path) {
    if (this.#at(path).kind === 'folder') throw new Fault('EISDIR');
    const [parent, name] = this.#parent(path);
    parent.children.delete(name);
  }

  rename(from, to) {
    const node = this.#at(from);
    const [target, newName] = this.#parent(to);
    const old = target.children.get(newName);
    if (old?.kind === 'folder') throw new Fault(node.kind === 'folder' ? 'ENOTEMPTY' : 'EISDIR');
    const [source, name] = this.#parent(from);
    source.children.delete(name);
    target.children.set(newName, node);
    this.#changed.add(normal(to));
  }

  readLink(path) {
    this.#at(path);
    throw new Fault('EINVAL');
  }

  #put(path, bytes) {
    const [name, ...above] = parts(path).reverse();
    if (name === undefined) throw new Fault('EISDIR');
    let node = this.#root;
    for (const part of above.reverse()) {
      if (node.kind !== 'folder') throw new Fault('ENOTDIR');
      if (!node.children.has(part)) node.children.set(part, folder());
      node = node.children.get(part);
    }
    if (node.kind !== 'folder') throw new Fault('ENOTDIR');
    const file = { kind: 'file', bytes, size: bytes.length, id: ++identities, modified: now() };
    node.children.set(name, file);
    this.#changed.add(normal(path));
    return file;
  }

  #find(path) {
    let node = this.#root;
    for (const part of parts(path)) {
      if (node.kind !== 'folder') throw new Fault('ENOTDIR');
      node = node.children.get(part);
      if (!node) return undefined;
    }
    return node;
  }

  #at(path) {
    const node = this.#find(path);
    if (!node) throw new Fault('ENOENT');
    return node;
  }

  #parent(path) {
    const above = parts(path), name = above.pop();
    if (name === undefined) throw new Fault('EPERM');
    const parent = this.#at(`/${above.join('/')}`);
    if (parent.kind !== 'folder') throw new Fault('ENOTDIR');
    return [parent, name];
  }
}

class Handle {
  #node;
  #changes;

  constructor(node, changes) {
    this.#node = node;
    this.#changes = changes;
  }

  stat() {
    return state(this.#node);
  }

  read(bytes, position) {
    const part = this.#node.bytes.subarray(Math.min(position, this.#node.size), Math.min(position + bytes.length, this.#node.size));
    bytes.set(part);
    return part.length;
  }

  write(bytes, position) {
    if (position > this.#node.size) this.resize(position);
    this.#reserve(position + bytes.length);
    this.#node.bytes.set(bytes, position);
    this.#node.size = Math.max(this.#node.size, position + bytes.length);
    this.#note();
    return bytes.length;
  }

  resize(size) {
    this.#reserve(size);
    this.#node.bytes.fill(0, this.#node.size, size);
    this.#node.size = size;
    this.#note();
  }

  close() {}

  /** Room for `size` bytes, in memory of its own. */
  #reserve(size) {
    const { bytes, isOwn } = this.#node;
    if (isOwn && size <= bytes.length) return;
    let larger;
    try {
      larger = new Uint8Array(Math.max(size, isOwn ? 2 * bytes.length : bytes.length, 4096));
    } catch {
      throw new Fault('ENOSPC');
    }
    larger.set(bytes.subarray(0, this.#node.size));
    Object.assign(this.#node, { bytes: larger, isOwn: true });
  }

  #note() {
    this.#node.modified = now();
    this.#changes();
  }
}

const state = ({ kind, size = 0, id, modified }) => ({ kind, size, id, device: 1, modified });

const normal = (path) => `/${parts(path).join('/')}`;

function parts(path) {
  const kept = [];
  for (const part of path.split('/')) {
    if (part === '..') kept.pop();
    else if (part !== '' && part !== '.') kept.push(part);
  }
  return kept;
}
