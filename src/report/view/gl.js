// WebGL 2: programs, buffers, and textures that hold lists.

const canvas = byId("canvas");
const gl = canvas.getContext("webgl2", { alpha: false, antialias: true, powerPreference: "high-performance" });

/** Texels in a row of a list. */
const WIDTH = 2048;

/** Links a program; `feedback` names the outputs that transform feedback captures. */
function linked([vertex, fragment], feedback = []) {
  const program = gl.createProgram();
  for (const [kind, text] of [[gl.VERTEX_SHADER, vertex], [gl.FRAGMENT_SHADER, fragment]]) {
    const shader = gl.createShader(kind);
    gl.shaderSource(shader, text);
    gl.compileShader(shader);
    if (!gl.getShaderParameter(shader, gl.COMPILE_STATUS) && !gl.isContextLost()) {
      throw new Error(gl.getShaderInfoLog(shader));
    }
    gl.attachShader(program, shader);
  }
  if (feedback.length) {
    gl.transformFeedbackVaryings(program, feedback, gl.INTERLEAVED_ATTRIBS);
  }
  gl.linkProgram(program);
  if (!gl.getProgramParameter(program, gl.LINK_STATUS) && !gl.isContextLost()) {
    throw new Error(gl.getProgramInfoLog(program));
  }
  const uniforms = {};
  for (let i = 0; i < gl.getProgramParameter(program, gl.ACTIVE_UNIFORMS); ++i) {
    const { name } = gl.getActiveUniform(program, i);
    uniforms[name] = gl.getUniformLocation(program, name);
  }
  return { program, uniforms };
}

function buffer(data, target = gl.ARRAY_BUFFER, usage = gl.STATIC_DRAW) {
  const made = gl.createBuffer();
  gl.bindVertexArray(null);
  gl.bindBuffer(target, made);
  gl.bufferData(target, data, usage);
  return made;
}

/** A list that shaders read: one texel per element. */
class List {
  /** `kind` is one of the entries of LISTS. */
  constructor(kind, data) {
    [this.internal, this.format, this.type, this.size] = LISTS[kind];
    this.texture = gl.createTexture();
    gl.bindTexture(gl.TEXTURE_2D, this.texture);
    for (const [name, value] of [["MIN_FILTER", "NEAREST"], ["MAG_FILTER", "NEAREST"], ["WRAP_S", "CLAMP_TO_EDGE"], ["WRAP_T", "CLAMP_TO_EDGE"]]) {
      gl.texParameteri(gl.TEXTURE_2D, gl[`TEXTURE_${name}`], gl[value]);
    }
    this.write(data);
  }

  write(data) {
    const texels = Math.max(1, data.length / this.size);
    const width = Math.min(texels, WIDTH), height = Math.ceil(texels / WIDTH);
    const needed = width * height * this.size;
    if (!this.padded || this.padded.length !== needed) {
      this.padded = new data.constructor(needed);
      this.fresh = true;
    }
    this.padded.set(data);
    gl.bindTexture(gl.TEXTURE_2D, this.texture);
    gl.pixelStorei(gl.UNPACK_ALIGNMENT, 1);
    if (this.fresh) {
      gl.texImage2D(gl.TEXTURE_2D, 0, this.internal, width, height, 0, this.format, this.type, this.padded);
      this.fresh = false;
    } else {
      gl.texSubImage2D(gl.TEXTURE_2D, 0, 0, 0, width, height, this.format, this.type, this.padded);
    }
  }

  bind(unit) {
    gl.activeTexture(gl.TEXTURE0 + unit);
    gl.bindTexture(gl.TEXTURE_2D, this.texture);
  }
}

const LISTS = gl && {
  one: [gl.R32UI, gl.RED_INTEGER, gl.UNSIGNED_INT, 1],
  two: [gl.RG32UI, gl.RG_INTEGER, gl.UNSIGNED_INT, 2],
  four: [gl.RGBA32UI, gl.RGBA_INTEGER, gl.UNSIGNED_INT, 4],
  vector: [gl.RGB32F, gl.RGB, gl.FLOAT, 3],
  row: [gl.RGBA32F, gl.RGBA, gl.FLOAT, 4],
  color: [gl.RGBA8, gl.RGBA, gl.UNSIGNED_BYTE, 4],
};

/** Names an attribute of the bound vertex array; without a buffer it has the value `otherwise` for every vertex. */
function attribute(index, from, size, { stride = 0, offset = 0, type = gl.FLOAT, normalized = false, integer = false, divisor = 0 } = {}) {
  if (!from) {
    return;
  }
  gl.bindBuffer(gl.ARRAY_BUFFER, from);
  gl.enableVertexAttribArray(index);
  if (integer) {
    gl.vertexAttribIPointer(index, size, type, stride, offset);
  } else {
    gl.vertexAttribPointer(index, size, type, normalized, stride, offset);
  }
  gl.vertexAttribDivisor(index, divisor);
}

/** A texture of an image, with mip levels; the sampler decodes sRGB. */
async function imageTexture(bytes, type, wrap = ["REPEAT", "REPEAT"]) {
  const blob = new Blob([bytes], { type });
  const bitmap = await createImageBitmap(blob, { premultiplyAlpha: "none", colorSpaceConversion: "none" });
  const texture = gl.createTexture();
  gl.bindTexture(gl.TEXTURE_2D, texture);
  gl.pixelStorei(gl.UNPACK_ALIGNMENT, 1);
  gl.texImage2D(gl.TEXTURE_2D, 0, gl.SRGB8_ALPHA8, gl.RGBA, gl.UNSIGNED_BYTE, bitmap);
  gl.generateMipmap(gl.TEXTURE_2D);
  gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MIN_FILTER, gl.LINEAR_MIPMAP_LINEAR);
  gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_WRAP_S, gl[wrap[0]]);
  gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_WRAP_T, gl[wrap[1]]);
  bitmap.close();
  return texture;
}
