// The model: a JSON document, and blocks of numbers that are inflated when they are first needed.

const byId = (id) => root.getElementById(id);
const model = JSON.parse(document.getElementById(`model-${name}`).textContent);
const shaders = JSON.parse(document.getElementById("shaders").textContent);

const decoded = (text) => Uint8Array.from(atob(text), (c) => c.charCodeAt(0));

const blocks = {
  packed: document.getElementById(`blocks-${name}`).textContent.split(" "),
  inflated: new Map(),

  /** The bytes of a block. Only the two newest blocks of takes are kept. */
  async get(index) {
    if (!this.inflated.has(index)) {
      const packed = decoded(this.packed[index]);
      const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate"));
      this.inflated.set(index, new Uint8Array(await new Response(stream).arrayBuffer()));
      const takes = [...this.inflated.keys()].filter((key) => key > 1);
      if (takes.length > 2) {
        this.inflated.delete(takes[0]);
      }
    }
    return this.inflated.get(index);
  },
};

/** 32-bit numbers: four planes of bytes, highest first, of differences in zigzag. */
async function words(part) {
  const bytes = await blocks.get(part.block);
  const { at, count, stride } = part;
  const values = new Uint32Array(count);
  for (let i = 0; i < count; ++i) {
    const p = at + i;
    const zigzag = (bytes[p] << 24) | (bytes[p + count] << 16) | (bytes[p + 2 * count] << 8) | bytes[p + 3 * count];
    values[i] = ((zigzag >>> 1) ^ -(zigzag & 1)) + (i < stride ? 0 : values[i - stride]);
  }
  return values;
}

async function floats(part) {
  return new Float32Array((await words(part)).buffer);
}

async function bytesOf(part) {
  const bytes = await blocks.get(part.block);
  return bytes.subarray(part.at, part.at + part.count);
}
