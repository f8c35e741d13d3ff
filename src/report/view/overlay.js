// The skeleton and the grid.

class Overlay {
  constructor() {
    this.plain = linked(shaders.plain);
    this.bone = linked(shaders.bone);
    this.joints = model.skeleton.map(([joint]) => joint);
    this.bones = model.skeleton.filter(([, above]) => above !== null);
    this.dotBuffer = gl.createBuffer();
    this.boneBuffer = gl.createBuffer();
    this.lineBuffer = gl.createBuffer();
    this.dots = this.list(this.dotBuffer);
    this.lines = this.list(this.lineBuffer);
    this.kites = gl.createVertexArray();
    gl.bindVertexArray(this.kites);
    attribute(0, this.boneBuffer, 3, { stride: 24, divisor: 1 });
    attribute(1, this.boneBuffer, 3, { stride: 24, offset: 12, divisor: 1 });
    gl.bindVertexArray(null);
  }

  /** Positions and colours. */
  list(from) {
    const array = gl.createVertexArray();
    gl.bindVertexArray(array);
    attribute(0, from, 3, { stride: 28 });
    attribute(1, from, 4, { stride: 28, offset: 12 });
    gl.bindVertexArray(null);
    return array;
  }

  use({ program, uniforms }, stand) {
    gl.useProgram(program);
    gl.uniformMatrix4fv(uniforms.u_clip_from_world, false, stand.clip);
    gl.uniform3fv(uniforms.u_centre, stand.centre);
    return uniforms;
  }

  fill(into, numbers) {
    gl.bindBuffer(gl.ARRAY_BUFFER, into);
    gl.bufferData(gl.ARRAY_BUFFER, new Float32Array(numbers), gl.STREAM_DRAW);
  }

  skeleton(take, frame, stand, selected, size) {
    const scale = Math.max(0.6, Math.min(...size) / 512);
    gl.disable(gl.DEPTH_TEST);
    this.fill(this.boneBuffer, this.bones.flatMap(([joint, above]) => [...take.node(frame, above), ...take.node(frame, joint)]));
    const uniforms = this.use(this.bone, stand);
    gl.uniform2f(uniforms.u_half_size, size[0] / 2, size[1] / 2);
    gl.uniform1f(uniforms.u_scale, scale);
    gl.bindVertexArray(this.kites);
    for (const outline of [1, 0]) {
      gl.uniform1i(uniforms.u_outline, outline);
      gl.drawArraysInstanced(gl.TRIANGLE_STRIP, 0, 4, this.bones.length);
    }
    const color = (joint) => joint === selected ? [0.2, 0.75, 1, 1] : [1, 0.965, 0.886, 1];
    const dots = this.joints.flatMap((joint) => [...take.node(frame, joint), ...color(joint)]);
    this.drawDots(dots, stand, 7 * scale);
    gl.enable(gl.DEPTH_TEST);
  }

  /** One joint, over everything. */
  mark(place, stand, size) {
    gl.disable(gl.DEPTH_TEST);
    this.drawDots([...place, 0.2, 0.75, 1, 1], stand, 11 * Math.max(0.6, Math.min(...size) / 512));
    gl.enable(gl.DEPTH_TEST);
  }

  /** Marked vertices, over everything. */
  vertices({ array, count }, stand, size) {
    gl.disable(gl.DEPTH_TEST);
    const uniforms = this.use(this.plain, stand);
    gl.uniform1i(uniforms.u_dots, 1);
    gl.uniform1f(uniforms.u_size, (count === 1 ? 12 : 6) * Math.max(0.6, Math.min(...size) / 512));
    gl.bindVertexArray(array);
    gl.vertexAttrib4f(1, 0.93, 0.2, 0.75, 1);
    gl.drawElements(gl.POINTS, count, gl.UNSIGNED_INT, 0);
    gl.enable(gl.DEPTH_TEST);
  }

  drawDots(numbers, stand, size) {
    this.fill(this.dotBuffer, numbers);
    const uniforms = this.use(this.plain, stand);
    gl.uniform1i(uniforms.u_dots, 1);
    gl.uniform1f(uniforms.u_size, size);
    gl.bindVertexArray(this.dots);
    gl.drawArrays(gl.POINTS, 0, numbers.length / 7);
  }

  /** A level grid through the origin, with squares of 1, 2 or 5 times a power of ten. Returns the side of a square. */
  grid(stand) {
    const largest = stand.height / 6, power = 10 ** Math.floor(Math.log10(largest));
    const side = power * ([5, 2, 1].find((factor) => factor * power <= largest) ?? 1);
    const { up } = model.space;
    const first = [up[1], up[2], up[0]].map(Math.abs), second = cross(up, first).map(Math.abs);
    const numbers = [], reach = 1.25 * stand.height;
    for (const [along, across] of [[first, second], [second, first]]) {
      const [a, b] = [dot(along, stand.centre), dot(across, stand.centre)];
      const from = Math.floor((b - reach) / side) + 1, to = Math.floor((b + reach) / side);
      for (let step = from; step <= Math.min(to, from + 100); ++step) {
        const color = step === 0 ? [0.66, 0.68, 0.72, 1] : [0.36, 0.38, 0.415, 1];
        for (const end of [a - reach, a + reach]) {
          numbers.push(...add(scaled(along, end), scaled(across, step * side)), ...color);
        }
      }
    }
    this.fill(this.lineBuffer, numbers);
    const uniforms = this.use(this.plain, stand);
    gl.uniform1i(uniforms.u_dots, 0);
    gl.bindVertexArray(this.lines);
    gl.drawArrays(gl.LINES, 0, numbers.length / 7);
    return side;
  }
}
