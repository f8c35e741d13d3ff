// The model on the graphics card: what does not change, and its vertices in the pose of a frame.

/** Bytes of a posed vertex: position, normal, and the share of the selected joint. */
const POSED = 28;
const NO_JOINT = 0xffffffff;

class Rig {
  static async load() {
    const rig = new Rig();
    rig.meshes = [];
    for (const mesh of model.meshes) {
      rig.meshes.push(mesh && await rig.loadMesh(mesh));
    }
    rig.bindings = [];
    for (const binding of model.bindings) {
      rig.bindings.push(await rig.loadBinding(binding));
    }
    rig.nothing = { one: new List("one", new Uint32Array(1)), two: new List("two", new Uint32Array(2)), vector: new List("vector", new Float32Array(3)) };
    rig.bones = new List("one", new Uint32Array(model.bones));
    rig.palette = new List("row", new Float32Array(4));
    rig.program = linked(shaders.deform, ["v_position", "v_normal", "v_weight"]);
    rig.feedback = gl.createTransformFeedback();
    rig.instances = model.instances.map((instance) => rig.use(instance));
    let first = 0, weight = 0;
    for (const instance of rig.instances) {
      Object.assign(instance, { first, firstWeight: weight });
      first += instance.mesh.vertices;
      weight += instance.mesh.targets.length;
    }
    rig.vertices = first;
    rig.joint = NO_JOINT;
    return rig;
  }

  async loadMesh(mesh) {
    const optional = (part) => part && floats(part);
    const triangles = await words(mesh.triangles);
    const uvs = [];
    for (const set of mesh.uvs) {
      uvs.push(set && buffer(await floats(set)));
    }
    return {
      vertices: mesh.vertices,
      targets: mesh.targets,
      names: mesh.names,
      positions: buffer(await floats(mesh.positions)),
      normals: mesh.normals && buffer(await floats(mesh.normals)),
      colors: mesh.colors && buffer(await optional(mesh.colors)),
      uvs,
      offsets: new List("vector", await floats(mesh.offsets)),
      corners: triangles,
      triangles: buffer(triangles, gl.ELEMENT_ARRAY_BUFFER),
      count: triangles.length,
    };
  }

  async loadBinding(binding) {
    const ranges = await words(binding.ranges), influences = await words(binding.influences);
    return {
      ranges,
      influences,
      rangeBuffer: buffer(ranges),
      shares: binding.shares && buffer(await floats(binding.shares)),
      list: new List("two", influences),
    };
  }

  use(instance) {
    const mesh = this.meshes[instance.mesh], binding = instance.binding === null ? null : this.bindings[instance.binding];
    const deforming = gl.createVertexArray();
    gl.bindVertexArray(deforming);
    attribute(0, mesh.positions, 3);
    attribute(1, mesh.normals, 3);
    if (binding) {
      attribute(2, binding.rangeBuffer, 2, { integer: true, type: gl.UNSIGNED_INT });
      attribute(3, binding.shares, 1);
    }
    return {
      ...instance,
      mesh,
      binding,
      deforming,
      posed: buffer(Math.max(1, mesh.vertices) * POSED, gl.ARRAY_BUFFER, gl.DYNAMIC_COPY),
      targets: new List("four", new Uint32Array(4)),
      hidden: false,
      mirrored: false,
    };
  }

  /** Poses all vertices as in a frame of a take; `morphs` are the weights of morph targets. */
  pose(take, frame, morphs = take.morphWeights(frame)) {
    const { program, uniforms } = this.program;
    this.palette.write(take.palette(frame));
    gl.useProgram(program);
    gl.enable(gl.RASTERIZER_DISCARD);
    gl.bindTransformFeedback(gl.TRANSFORM_FEEDBACK, this.feedback);
    gl.uniform1i(uniforms.u_texels, model.dualQuaternions ? 4 : 3);
    gl.uniform1ui(uniforms.u_joint, this.joint);
    ["u_palette", "u_influences", "u_targets", "u_nodes", "u_offsets"].forEach((name, unit) => gl.uniform1i(uniforms[name], unit));
    const flags = take.flags(frame);
    this.instances.forEach((instance, index) => {
      instance.hidden = Boolean(flags[index] & 1);
      instance.mirrored = Boolean(flags[index] & 2);
      gl.uniform1i(uniforms.u_target_count, this.moveTargets(instance, morphs));
      gl.uniform1ui(uniforms.u_bone, instance.bone);
      this.palette.bind(0);
      (instance.binding ? instance.binding.list : this.nothing.two).bind(1);
      instance.targets.bind(2);
      this.bones.bind(3);
      instance.mesh.offsets.bind(4);
      gl.bindVertexArray(instance.deforming);
      gl.vertexAttrib3f(1, 0, 0, 0);
      gl.vertexAttribI4ui(2, 0, 0, 0, 0);
      gl.vertexAttrib1f(3, 0);
      gl.bindBuffer(gl.ARRAY_BUFFER, null);
      gl.bindBufferBase(gl.TRANSFORM_FEEDBACK_BUFFER, 0, instance.posed);
      gl.beginTransformFeedback(gl.POINTS);
      gl.drawArrays(gl.POINTS, 0, instance.mesh.vertices);
      gl.endTransformFeedback();
      gl.bindBufferBase(gl.TRANSFORM_FEEDBACK_BUFFER, 0, null);
    });
    gl.bindTransformFeedback(gl.TRANSFORM_FEEDBACK, null);
    gl.disable(gl.RASTERIZER_DISCARD);
    gl.bindVertexArray(null);
  }

  /** Lists the morph targets whose weight is not 0; returns how many. */
  moveTargets(instance, weights) {
    const table = [], bits = new Uint32Array(1);
    instance.mesh.targets.forEach(([positions, normals], target) => {
      const weight = weights[instance.firstWeight + target];
      if (weight !== 0) {
        new Float32Array(bits.buffer)[0] = weight;
        table.push(bits[0], positions, normals, 0);
      }
    });
    if (table.length) {
      instance.targets.write(new Uint32Array(table));
    }
    return table.length / 4;
  }

  /** The vertices of an instance as they were posed last: seven numbers each. */
  read(instance) {
    const vertices = new Float32Array(instance.mesh.vertices * POSED / 4);
    gl.bindBuffer(gl.COPY_READ_BUFFER, instance.posed);
    gl.getBufferSubData(gl.COPY_READ_BUFFER, 0, vertices);
    gl.bindBuffer(gl.COPY_READ_BUFFER, null);
    return vertices;
  }

  /** Joints and their shares of a vertex, the largest first. */
  influencesOf(instance, vertex) {
    const { binding } = instance;
    const [first, count] = binding ? [binding.ranges[2 * vertex], binding.ranges[2 * vertex + 1]] : [0, 0];
    if (count === 0) {
      return [[instance.node, 1]];
    }
    const weights = new Float32Array(binding.influences.buffer), shares = new Map();
    let all = 0;
    for (let k = first; k < first + count; ++k) {
      const node = model.bones[binding.influences[2 * k]], weight = weights[2 * k + 1];
      shares.set(node, (shares.get(node) ?? 0) + weight);
      all += weight;
    }
    return [...shares].map(([node, weight]) => [node, weight / all]).sort((a, b) => b[1] - a[1]);
  }
}

/** The frames of a take. */
class Take {
  static async load(index) {
    const take = new Take();
    const data = model.takes[index];
    take.index = index;
    take.data = data;
    take.count = data.times.length;
    take.palettes = await floats(data.palettes);
    take.nodes = await floats(data.nodes);
    take.weights = await floats(data.morphs);
    take.allFlags = await bytesOf(data.flags);
    take.shares = [];
    for (const measured of data.measured) {
      take.shares.push(await bytesOf(measured.shares));
    }
    return take;
  }

  slice(list, frame) {
    const size = list.length / this.count;
    return list.subarray(frame * size, (frame + 1) * size);
  }

  palette(frame) {
    return this.slice(this.palettes, frame);
  }

  morphWeights(frame) {
    return this.slice(this.weights, frame);
  }

  flags(frame) {
    return this.slice(this.allFlags, frame);
  }

  /** Where a node is. */
  node(frame, node) {
    return [...this.slice(this.nodes, frame).subarray(3 * node, 3 * node + 3)];
  }

  /** The numbers of all vertices in a measured mode. */
  numbers(frame, mode) {
    const { rows } = this.data.measured[mode], all = this.shares[mode];
    const size = all.length / (rows[rows.length - 1] + 1);
    return all.subarray(rows[frame] * size, (rows[frame] + 1) * size);
  }
}
