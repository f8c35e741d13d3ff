// WASI preview 1, as far as the program uses it: https://github.com/WebAssembly/WASI/blob/wasi-0.1/preview1/docs.md

import { Fault } from './fault.js';

const ERRNO = {
  EACCES: 2, EAGAIN: 6, EBADF: 8, EEXIST: 20, EFBIG: 22, EINVAL: 28, EIO: 29, EISDIR: 31, ELOOP: 32, EMFILE: 33, ENAMETOOLONG: 37,
  ENOENT: 44, ENOSPC: 51, ENOSYS: 52, ENOTDIR: 54, ENOTEMPTY: 55, ENOTSUP: 58, EPERM: 63, EROFS: 69, ESPIPE: 70, EXDEV: 75,
};
const KIND = { other: 0, terminal: 2, folder: 3, file: 4, link: 7 };
const CREATE = 1, FOLDER = 2, EXCLUSIVE = 4, TRUNCATE = 8;
const APPEND = 1;
const FOLLOW = 1;
const MAY_READ = 1n << 1n, MAY_WRITE = 1n << 6n, MAY_SEEK = 1n << 2n, MAY_TELL = 1n << 5n;
const EVERYTHING = (1n << 30n) - 1n;
const PREOPENED = 3;

/** Ends the program from within. */
export class Exit extends Error {
  constructor(code) {
    super(`exit code ${code}`);
    this.code = code;
  }
}

/**
 * The functions that a program imports.
 *
 * @param memory the program's
 * @param host `{ args, env, disk, print(stream, bytes), stdin(bytes), terminals }`
 */
export function wasi(memory, host) {
  const encoder = new TextEncoder(), decoder = new TextDecoder();
  const open = new Map([{ stream: 0 }, { stream: 1 }, { stream: 2 }, { path: '/', kind: 'folder' }].entries());

  // The buffer is another one after the memory has grown.
  const view = () => new DataView(memory.buffer);
  const bytes = (at, length) => new Uint8Array(memory.buffer, at, length);
  const text = (at, length) => decoder.decode(bytes(at, length));
  const write32 = (at, value) => view().setUint32(at, value, true);
  const write64 = (at, value) => view().setBigUint64(at, BigInt(value), true);

  function entry(descriptor) {
    const found = open.get(descriptor);
    if (!found) throw new Fault('EBADF');
    return found;
  }

  function file(descriptor) {
    const found = entry(descriptor);
    if (found.stream !== undefined) throw new Fault('ESPIPE');
    if (found.kind === 'folder') throw new Fault('EISDIR');
    return found;
  }

  function path(descriptor, at, length) {
    const named = text(at, length), above = entry(descriptor).path;
    return named.startsWith('/') ? named : `${above === '/' ? '' : above}/${named}`;
  }

  function each(at, count, act) {
    let done = 0;
    for (let index = 0; index < count; ++index) {
      const [start, length] = [view().getUint32(at + 8 * index, true), view().getUint32(at + 8 * index + 4, true)];
      const moved = act(bytes(start, length), done);
      done += moved;
      if (moved < length) break;
    }
    return done;
  }

  function writeStat(at, { kind, size = 0, id, device, modified }) {
    bytes(at, 64).fill(0);
    write64(at, device);
    write64(at + 8, id);
    view().setUint8(at + 16, KIND[kind]);
    write64(at + 24, 1);
    write64(at + 32, size);
    for (const time of [40, 48, 56]) write64(at + time, modified);
  }

  function strings(list) {
    const all = list.map((one) => encoder.encode(`${one}\0`));
    return {
      sizes(count, size) {
        write32(count, all.length);
        write32(size, all.reduce((sum, one) => sum + one.length, 0));
      },
      get(pointers, at) {
        for (const [index, one] of all.entries()) {
          write32(pointers + 4 * index, at);
          bytes(at, one.length).set(one);
          at += one.length;
        }
      },
    };
  }
  const args = strings(host.args), set = Object.entries(host.env).filter(([, value]) => value !== undefined);
  const env = strings(set.map(([name, value]) => `${name}=${value}`));

  function move(descriptor, at, count, result, act) {
    const entry = file(descriptor);
    const done = each(at, count, (part, done) => act(entry.handle, part, Number(entry.position ?? 0) + done));
    entry.position = (entry.position ?? 0) + done;
    write32(result, done);
  }

  const calls = {
    args_sizes_get: args.sizes,
    args_get: args.get,
    environ_sizes_get: env.sizes,
    environ_get: env.get,
    clock_res_get: (_, result) => write64(result, 1000),
    clock_time_get(clock, _, result) {
      const milliseconds = clock === 0 ? Date.now() : performance.now();
      write64(result, Math.round(milliseconds * 1e6));
    },
    random_get(at, length) {
      for (let done = 0; done < length; done += 65536) crypto.getRandomValues(bytes(at + done, Math.min(65536, length - done)));
    },
    sched_yield() {},
    proc_exit(code) {
      throw new Exit(code);
    },
    poll_oneoff() {
      throw new Fault('ENOTSUP');
    },

    fd_prestat_get(descriptor, result) {
      if (descriptor !== PREOPENED) throw new Fault('EBADF');
      write32(result, 0);
      write32(result + 4, 1);
    },
    fd_prestat_dir_name: (_, at) => { bytes(at, 1)[0] = '/'.charCodeAt(0); },
    fd_fdstat_get(descriptor, result) {
      const { stream, kind = 'file', flags = 0 } = entry(descriptor);
      const isTerminal = host.terminals[stream] === true;
      bytes(result, 24).fill(0);
      view().setUint8(result, stream === undefined ? KIND[kind] : isTerminal ? KIND.terminal : KIND.other);
      view().setUint16(result + 2, flags, true);
      write64(result + 8, stream === undefined ? EVERYTHING : EVERYTHING & ~(MAY_SEEK | MAY_TELL));
      write64(result + 16, EVERYTHING);
    },
    fd_fdstat_set_flags() {},
    fd_close(descriptor) {
      entry(descriptor).handle?.close();
      open.delete(descriptor);
    },
    fd_read(descriptor, at, count, result) {
      if (entry(descriptor).stream !== undefined) {
        write32(result, each(at, count, (part) => host.stdin(part)));
        return;
      }
      move(descriptor, at, count, result, (handle, part, position) => handle.read(part, position));
    },
    fd_write(descriptor, at, count, result) {
      const { stream } = entry(descriptor);
      if (stream !== undefined) {
        write32(result, each(at, count, (part) => {
          host.print(stream, part.slice());
          return part.length;
        }));
        return;
      }
      move(descriptor, at, count, result, (handle, part, position) => handle.write(part, position));
    },
    fd_pread(descriptor, at, count, offset, result) {
      const { handle } = file(descriptor);
      write32(result, each(at, count, (part, done) => handle.read(part, Number(offset) + done)));
    },
    fd_pwrite(descriptor, at, count, offset, result) {
      const { handle } = file(descriptor);
      write32(result, each(at, count, (part, done) => handle.write(part, Number(offset) + done)));
    },
    fd_seek(descriptor, offset, whence, result) {
      const entry = file(descriptor);
      const base = [0, entry.position ?? 0, whence === 2 ? Number(entry.handle.stat().size) : 0][whence];
      const position = base + Number(offset);
      if (position < 0) throw new Fault('EINVAL');
      entry.position = position;
      write64(result, position);
    },
    fd_tell: (descriptor, result) => write64(result, file(descriptor).position ?? 0),
    fd_sync() {},
    fd_datasync() {},
    fd_filestat_get(descriptor, result) {
      const { stream, handle, path } = entry(descriptor);
      if (stream === undefined) writeStat(result, handle ? handle.stat() : host.disk.stat(path, true));
      else writeStat(result, { kind: host.terminals[stream] ? 'terminal' : 'other', id: stream, device: 0, modified: 0 });
    },
    fd_filestat_set_size: (descriptor, size) => file(descriptor).handle.resize(Number(size)),
    fd_filestat_set_times() {},
    fd_readdir(descriptor, at, room, cookie, result) {
      const folder = entry(descriptor);
      // From its beginning, the folder is listed anew.
      if (cookie === 0n || !folder.listed) folder.listed = host.disk.list(folder.path);
      let used = 0;
      for (let index = Number(cookie); index < folder.listed.length && used < room; ++index) {
        const { name, kind, id } = folder.listed[index], encoded = encoder.encode(name);
        const record = new Uint8Array(24 + encoded.length), fields = new DataView(record.buffer);
        fields.setBigUint64(0, BigInt(index + 1), true);
        fields.setBigUint64(8, BigInt(id), true);
        fields.setUint32(16, encoded.length, true);
        fields.setUint8(20, KIND[kind]);
        record.set(encoded, 24);
        const part = record.subarray(0, room - used);
        bytes(at + used, part.length).set(part);
        used += part.length;
      }
      write32(result, used);
    },

    path_open(descriptor, lookup, at, length, how, rights, _, flags, result) {
      const where = path(descriptor, at, length), has = (flag) => (how & flag) !== 0;
      const write = (rights & MAY_WRITE) !== 0n, append = (flags & APPEND) !== 0;
      if (!(lookup & FOLLOW) && !has(CREATE) && host.disk.stat(where, false).kind === 'link') throw new Fault('ELOOP');
      const handle = host.disk.open(where, {
        create: has(CREATE), exclusive: has(EXCLUSIVE), truncate: has(TRUNCATE), folder: has(FOLDER),
        read: (rights & MAY_READ) !== 0n, write, append,
      });
      const { kind, size } = handle.stat();
      let next = PREOPENED + 1;
      while (open.has(next)) ++next;
      open.set(next, { path: where, kind, handle, flags, position: append ? Number(size) : 0 });
      write32(result, next);
    },
    path_filestat_get(descriptor, lookup, at, length, result) {
      writeStat(result, host.disk.stat(path(descriptor, at, length), (lookup & FOLLOW) !== 0));
    },
    path_filestat_set_times() {},
    path_create_directory: (descriptor, at, length) => host.disk.makeFolder(path(descriptor, at, length)),
    path_remove_directory: (descriptor, at, length) => host.disk.removeFolder(path(descriptor, at, length)),
    path_unlink_file: (descriptor, at, length) => host.disk.remove(path(descriptor, at, length)),
    path_rename(from, at, length, to, newAt, newLength) {
      host.disk.rename(path(from, at, length), path(to, newAt, newLength));
    },
    path_readlink(descriptor, at, length, buffer, room, result) {
      const target = encoder.encode(host.disk.readLink(path(descriptor, at, length))).subarray(0, room);
      bytes(buffer, target.length).set(target);
      write32(result, target.length);
    },
    path_link() {
      throw new Fault('ENOTSUP');
    },
    path_symlink() {
      throw new Fault('ENOTSUP');
    },
  };

  /** An error with a code becomes its number. */
  const guarded = (call) => (...values) => {
    try {
      call(...values);
      return 0;
    } catch (error) {
      if (error instanceof Exit || !(error.code in ERRNO)) throw error;
      return ERRNO[error.code];
    }
  };
  return Object.fromEntries(Object.entries(calls).map(([name, call]) => [name, guarded(call)]));
}
