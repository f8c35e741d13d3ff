// Draws the posed vertices.

const SHOW = { lit: 0, texture: 1, normals: 2, weights: 3, painted: 4, measured: 4, uv: 4 };
const COLORS = { lit: 0, texture: 0, weights: 1, painted: 2, measured: 3 };
/** The opacity of a body that is seen through. */
const THROUGH = 0.3;
/** Neither of those. */
const PLAIN = 4;

class Painter {
  static async load(rig) {
    const painter = new Painter();
    painter.rig = rig;
    painter.program = linked(shaders.surface);
    painter.picker = linked(shaders.pick);
    painter.overlay = new Overlay();
    const checker = document.getElementById("checker");
    painter.checker = await imageTexture(decoded(checker.textContent), checker.dataset.type);
    const textures = new Map();
    for (const instance of rig.instances) {
      const { texture } = instance;
      const image = texture && model.images[texture.image];
      if (image) {
        const key = [texture.image, ...texture.wrap].join();
        if (!textures.has(key)) {
          textures.set(key, await imageTexture(await bytesOf(image.file), image.type, texture.wrap));
        }
        instance.image = textures.get(key);
      }
    }
    painter.white = new List("color", new Uint8Array([255, 255, 255, 255]));
    painter.ramp = new List("color", new Uint8Array([255, 255, 255, 255]));
    painter.numbers = buffer(new Uint8Array(rig.vertices), gl.ARRAY_BUFFER, gl.STREAM_DRAW);
    painter.paints = new Map();
    for (const mode of model.modes.filter((mode) => mode.kind === "painted")) {
      painter.paints.set(mode.name, buffer(await bytesOf(mode.colors)));
    }
    for (const instance of rig.instances) {
      painter.prepare(instance);
    }
    painter.target = painter.pickTarget();
    painter.marks = [];
    return painter;
  }

  /** Marks vertices: of each instance, its index and a list. */
  mark(marks) {
    this.marks.forEach(({ array }) => gl.deleteVertexArray(array));
    this.marks = marks.map(([index, vertices]) => {
      const array = gl.createVertexArray(), list = buffer(new Uint32Array(vertices), gl.ELEMENT_ARRAY_BUFFER);
      gl.bindVertexArray(array);
      attribute(0, this.rig.instances[index].posed, 3, { stride: POSED });
      gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, list);
      gl.bindVertexArray(null);
      return { array, count: vertices.length };
    });
  }

  /** Where the node is that the camera follows; the origin if it follows none. */
  followed(take, frame, options) {
    const node = options.follow && take.data.follow !== null ? take.node(frame, take.data.follow) : [0, 0, 0];
    return node.every(Number.isFinite) ? node : [0, 0, 0];
  }

  /** The vertex array that draws an instance. */
  prepare(instance) {
    const { mesh, posed, texture } = instance;
    instance.drawing = gl.createVertexArray();
    gl.bindVertexArray(instance.drawing);
    attribute(0, posed, 3, { stride: POSED });
    attribute(1, posed, 3, { stride: POSED, offset: 12 });
    attribute(2, posed, 1, { stride: POSED, offset: 24 });
    attribute(3, texture && mesh.uvs[texture.uvs], 2);
    attribute(4, mesh.uvs[0], 2);
    attribute(5, mesh.colors, 4);
    attribute(7, this.numbers, 1, { type: gl.UNSIGNED_BYTE, offset: instance.first });
    gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, mesh.triangles);
    gl.bindVertexArray(null);
  }

  /** Colours of a mode: the painted ones of all vertices, or the ramp of numbers. */
  choose(mode) {
    this.mode = mode;
    const paint = this.paints.get(mode.name);
    for (const instance of this.rig.instances) {
      gl.bindVertexArray(instance.drawing);
      gl.disableVertexAttribArray(6);
      attribute(6, paint, 3, { type: gl.UNSIGNED_BYTE, normalized: true, offset: 3 * instance.first });
    }
    gl.bindVertexArray(null);
    if (mode.kind === "measured" && mode.legend) {
      const codes = mode.legend.ramp.flatMap((hex) => [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16)).concat(255));
      this.ramp.write(new Uint8Array(codes));
    }
  }

  draw(take, frame, camera, options) {
    const size = [gl.drawingBufferWidth, gl.drawingBufferHeight], { mode } = this;
    const stand = camera.stand(size[0] / size[1], this.followed(take, frame, options));
    this.stand = stand;
    if (mode.kind === "measured") {
      gl.bindBuffer(gl.ARRAY_BUFFER, this.numbers);
      gl.bufferSubData(gl.ARRAY_BUFFER, 0, take.numbers(frame, mode.numbers));
    }
    gl.bindFramebuffer(gl.FRAMEBUFFER, null);
    gl.viewport(0, 0, ...size);
    gl.clearColor(0x4b / 255, 0x4f / 255, 0x56 / 255, 1);
    gl.enable(gl.DEPTH_TEST);
    gl.depthFunc(gl.LESS);
    gl.depthMask(true);
    gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
    if (options.wireframe) {
      gl.enable(gl.POLYGON_OFFSET_FILL);
      gl.polygonOffset(1, 1);
    }
    this.surfaces(options.through);
    gl.disable(gl.POLYGON_OFFSET_FILL);
    const grid = options.grid ? this.overlay.grid(stand) : null;
    if (options.wireframe) {
      this.wires();
    }
    if (options.skeleton) {
      this.overlay.skeleton(take, frame, stand, options.selected, size);
    } else if (options.selected !== null) {
      this.overlay.mark(take.node(frame, options.selected), stand, size);
    }
    this.marks.forEach((mark) => this.overlay.vertices(mark, stand, size));
    gl.bindVertexArray(null);
    return { grid };
  }

  /** Opaque surfaces, then translucent ones: first where they are nearly opaque, then blended without hiding each other. A body that is
   *  seen `through` is translucent but for what measures badly. */
  surfaces(through) {
    const { program, uniforms } = this.program, { stand } = this;
    gl.useProgram(program);
    gl.uniformMatrix4fv(uniforms.u_clip_from_world, false, stand.clip);
    gl.uniform3fv(uniforms.u_centre, stand.centre);
    gl.uniform3fv(uniforms.u_eye, stand.eye);
    gl.uniform3fv(uniforms.u_up, stand.up);
    gl.uniform3fv(uniforms.u_back, stand.back);
    gl.uniform3fv(uniforms.u_key, stand.lights[0]);
    gl.uniform3fv(uniforms.u_fill, stand.lights[1]);
    gl.uniform1i(uniforms.u_show, SHOW[this.mode.kind]);
    gl.uniform1i(uniforms.u_colors, COLORS[this.mode.kind] ?? PLAIN);
    gl.uniform1i(uniforms.u_texture, 0);
    gl.uniform1i(uniforms.u_ramp, 1);
    gl.uniform1i(uniforms.u_checkered, Number(this.mode.kind === "uv"));
    this.ramp.bind(1);
    const material = SHOW[this.mode.kind] < 2;
    gl.uniform1f(uniforms.u_through, through ? THROUGH : 1);
    this.through = through;
    const blends = (instance) => through || material && instance.alpha === "blend";
    const shown = this.rig.instances.filter((instance) => !instance.hidden && instance.mesh.count);
    for (const instance of shown.filter((instance) => !blends(instance))) {
      this.surface(instance, material, [0, 2], true);
    }
    const translucent = shown.filter(blends);
    for (const instance of translucent) {
      this.surface(instance, material, [0.98, 2], false);
    }
    gl.enable(gl.BLEND);
    gl.blendFunc(gl.SRC_ALPHA, gl.ONE_MINUS_SRC_ALPHA);
    gl.depthMask(false);
    for (const instance of translucent) {
      this.surface(instance, material, [1 / 512, 0.98], false);
    }
    gl.depthMask(true);
    gl.disable(gl.BLEND);
  }

  surface(instance, material, alphas, opaque) {
    const { uniforms } = this.program;
    const row = material && instance.material !== null ? model.materials[instance.material] : [0.5, 0.5, 0.5, 1, 0];
    gl.uniform4f(uniforms.u_base_color, ...row.slice(0, 4));
    const masked = !this.through && material && instance.alpha === "mask";
    gl.uniform2f(uniforms.u_alphas, ...(masked ? [row[4], 2] : alphas));
    gl.uniform1i(uniforms.u_opaque, Number(opaque && !masked));
    const texture = this.mode.kind === "uv" ? this.checker : material && instance.image;
    gl.uniform1i(uniforms.u_textured, Number(Boolean(texture)));
    gl.activeTexture(gl.TEXTURE0);
    gl.bindTexture(gl.TEXTURE_2D, texture || this.white.texture);
    gl.uniform1i(uniforms.u_both_sides, Number(!instance.oneSided));
    this.drawTriangles(instance);
    gl.disable(gl.CULL_FACE);
  }

  drawTriangles(instance) {
    if (instance.oneSided) {
      gl.enable(gl.CULL_FACE);
      gl.frontFace(instance.mirrored ? gl.CW : gl.CCW);
    }
    this.bind(instance);
    gl.drawElements(gl.TRIANGLES, instance.mesh.count, gl.UNSIGNED_INT, 0);
  }

  /** Attributes without a buffer have one value for all vertices. */
  bind(instance) {
    gl.bindVertexArray(instance.drawing);
    gl.vertexAttrib2f(3, 0, 0);
    gl.vertexAttrib2f(4, 0, 0);
    gl.vertexAttrib4f(5, 1, 1, 1, 1);
    gl.vertexAttrib3f(6, 0, 0, 0);
  }

  wires() {
    const uniforms = this.overlay.use(this.overlay.plain, this.stand);
    gl.uniform1i(uniforms.u_dots, 0);
    for (const instance of this.rig.instances.filter((instance) => !instance.hidden)) {
      gl.bindVertexArray(this.edgesOf(instance));
      gl.vertexAttrib4f(1, 0.68, 0.81, 0.93, 1);
      gl.drawElements(gl.LINES, 2 * instance.mesh.count, gl.UNSIGNED_INT, 0);
    }
  }

  /** The vertex array that draws the sides of all triangles. */
  edgesOf(instance) {
    const { mesh } = instance;
    if (!mesh.edges) {
      const edges = new Uint32Array(2 * mesh.count);
      for (let k = 0; k < mesh.count; ++k) {
        edges[2 * k] = mesh.corners[k];
        edges[2 * k + 1] = mesh.corners[k % 3 === 2 ? k - 2 : k + 1];
      }
      mesh.edges = buffer(edges, gl.ELEMENT_ARRAY_BUFFER);
    }
    if (!instance.wiring) {
      instance.wiring = gl.createVertexArray();
      gl.bindVertexArray(instance.wiring);
      attribute(0, instance.posed, 3, { stride: POSED });
      gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, mesh.edges);
    }
    return instance.wiring;
  }

  /** One pixel: which instance, and which vertex. */
  pickTarget() {
    const target = gl.createFramebuffer(), [color, depth] = [gl.createRenderbuffer(), gl.createRenderbuffer()];
    gl.bindFramebuffer(gl.FRAMEBUFFER, target);
    for (const [made, format, place] of [[color, gl.RG32UI, gl.COLOR_ATTACHMENT0], [depth, gl.DEPTH_COMPONENT24, gl.DEPTH_ATTACHMENT]]) {
      gl.bindRenderbuffer(gl.RENDERBUFFER, made);
      gl.renderbufferStorage(gl.RENDERBUFFER, format, 1, 1);
      gl.framebufferRenderbuffer(gl.FRAMEBUFFER, place, gl.RENDERBUFFER, made);
    }
    gl.bindFramebuffer(gl.FRAMEBUFFER, null);
    return target;
  }

  /** The instance and vertex that are seen at a pixel of the last image, from its lower left corner; null for none. */
  pick(x, y) {
    if (!this.stand) {
      return null;
    }
    const { program, uniforms } = this.picker;
    gl.bindFramebuffer(gl.FRAMEBUFFER, this.target);
    gl.viewport(-x, -y, gl.drawingBufferWidth, gl.drawingBufferHeight);
    gl.clearBufferuiv(gl.COLOR, 0, [0, 0, 0, 0]);
    gl.clearBufferfi(gl.DEPTH_STENCIL, 0, 1, 0);
    gl.enable(gl.DEPTH_TEST);
    gl.useProgram(program);
    gl.uniformMatrix4fv(uniforms.u_clip_from_world, false, this.stand.clip);
    gl.uniform3fv(uniforms.u_centre, this.stand.centre);
    gl.uniform1i(uniforms.u_ramp, 1);
    this.ramp.bind(1);
    this.rig.instances.forEach((instance, index) => {
      if (!instance.hidden && instance.mesh.count) {
        gl.uniform1ui(uniforms.u_instance, index);
        this.drawTriangles(instance);
        gl.disable(gl.CULL_FACE);
      }
    });
    const found = new Uint32Array(4);
    gl.readPixels(0, 0, 1, 1, gl.RGBA_INTEGER, gl.UNSIGNED_INT, found);
    gl.bindFramebuffer(gl.FRAMEBUFFER, null);
    gl.bindVertexArray(null);
    return found[0] ? { instance: this.rig.instances[found[0] - 1], vertex: found[1] } : null;
  }
}
