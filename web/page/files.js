// What was dropped or chosen, as files by path.

/** Entries of a drop. They must be taken at once: the browser forgets them after the event. */
export const entriesOf = (transfer) => [...transfer.items].map((item) => item.webkitGetAsEntry()).filter(Boolean);

/** The files below `entries`. */
export async function filesOfEntries(entries) {
  const files = [];
  const visit = async (entry, path) => {
    if (entry.isFile) {
      files.push({ path, file: await new Promise((done, failed) => entry.file(done, failed)) });
      return;
    }
    const reader = entry.createReader();
    for (;;) {
      // A reader gives some entries at a time.
      const some = await new Promise((done, failed) => reader.readEntries(done, failed));
      if (some.length === 0) return;
      for (const one of some) await visit(one, `${path}/${one.name}`);
    }
  };
  for (const entry of entries) await visit(entry, entry.name);
  return files;
}

/** The files of an `<input>`. */
export const filesOfInput = (input) => [...input.files].map((file) => ({ path: file.webkitRelativePath || file.name, file }));

/** Reads all files, and those in zip files, which become folders. */
export async function readAll(files) {
  const read = new Map();
  for (const { path, file } of files) {
    const bytes = new Uint8Array(await file.arrayBuffer());
    if (!/\.zip$/i.test(path)) {
      read.set(path, bytes);
      continue;
    }
    for (const [name, content] of await unzip(bytes, path)) read.set(`${path.slice(0, -'.zip'.length)}/${name}`, content);
  }
  return read;
}

const END = 0x06054b50, ENTRY = 0x02014b50;
const STORED = 0, DEFLATED = 8, ENCRYPTED = 1;
/** What a file in an archive may unpack to. */
const MOST = 2 ** 31;

async function unzip(bytes, archive) {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const damaged = (why) => new Error(`${archive}: ${why}; unpack it and drop the folder`);
  let end = bytes.length - 22;
  while (end >= 0 && view.getUint32(end, true) !== END) --end;
  if (end < 0) throw damaged('not a zip file, or a damaged one');
  const files = new Map();
  try {
    let at = view.getUint32(end + 16, true);
    for (let left = view.getUint16(end + 10, true); left > 0; --left) {
      if (view.getUint32(at, true) !== ENTRY) throw damaged('its directory is damaged, or of a kind that this page does not read (zip64)');
      const [flags, method] = [8, 10].map((field) => view.getUint16(at + field, true));
      const [packed, size, local] = [20, 24, 42].map((field) => view.getUint32(at + field, true));
      const [name, extra, comment] = [28, 30, 32].map((field) => view.getUint16(at + field, true));
      const path = new TextDecoder().decode(bytes.subarray(at + 46, at + 46 + name)).replaceAll('\\', '/');
      at += 46 + name + extra + comment;
      if (path.endsWith('/') || path.startsWith('__MACOSX/')) continue;
      if (flags & ENCRYPTED) throw damaged(`${path} is encrypted`);
      if (size > MOST) throw damaged(`${path} is too large`);
      const start = local + 30 + view.getUint16(local + 26, true) + view.getUint16(local + 28, true);
      const content = bytes.subarray(start, start + packed);
      if (method === STORED) files.set(path, content.slice());
      else if (method === DEFLATED) files.set(path, await inflate(content, size, () => damaged(`${path} is damaged`)));
      else throw damaged(`${path} is compressed in a way that this page does not read`);
    }
  } catch (error) {
    throw error instanceof RangeError ? damaged('it is damaged') : error;
  }
  return files;
}

/** Never more than `size` bytes, which the archive promises. */
async function inflate(content, size, damaged) {
  const reader = new Blob([content]).stream().pipeThrough(new DecompressionStream('deflate-raw')).getReader();
  const bytes = new Uint8Array(size);
  let done = 0;
  try {
    for (;;) {
      const { value, done: isDone } = await reader.read();
      if (isDone) break;
      bytes.set(value, done);
      done += value.length;
    }
  } catch {
    throw damaged();
  }
  if (done !== size) throw damaged();
  return bytes;
}
