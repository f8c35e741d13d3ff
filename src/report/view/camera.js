// A camera that turns around a place. Its first view of a take is that of `skincheck render`.

const VIEWS = [["Front", 0, 0], ["Left", 90, 0], ["Back", 180, 0], ["Right", -90, 0], ["Top", 0, 90], ["¾", 35, 15]];

class Camera {
  constructor() {
    const { up } = model.space;
    // A front along the up axis is meaningless.
    const front = sizeOf(cross(up, model.space.front)) ? model.space.front : [up[1], up[2], up[0]];
    Object.assign(this, { up, front, left: cross(up, front) });
  }

  /** Sees a take as skincheck frames it. */
  fit(data, keepAngles = false) {
    const v = data.view, p = data.projection;
    const back = [v[2], v[6], v[10]];
    const near = p[14] / (p[10] - 1), far = p[14] / (p[10] + 1);
    this.distance = (near + far) / 2;
    const eye = scaled([0, 1, 2].map((k) => v[4 * k] * v[12] + v[4 * k + 1] * v[13] + v[4 * k + 2] * v[14]), -1);
    this.middle = minus(eye, scaled(back, this.distance));
    this.target = this.middle;
    this.slope = 1 / p[5];
    this.reach = Math.hypot((far - near) / 2, 1.5 * this.distance * this.slope);
    this.fitted = this.distance;
    if (!keepAngles) {
      this.turnTo(back, v);
    }
  }

  /** Turns so that `back`, a direction of the view matrix `v`, points at the viewer. */
  turnTo(back, v) {
    this.pitch = Math.asin(Math.min(1, Math.max(-1, dot(back, this.up)))) * 180 / Math.PI;
    const level = Math.abs(this.pitch) > 89.99 ? scaled([v[1], v[5], v[9]], -1) : back;
    this.yaw = Math.atan2(dot(level, this.left), dot(level, this.front)) * 180 / Math.PI;
  }

  /** Sees as one of skincheck's cameras, around a place. `moved` is where the followed node is. */
  see({ view: v, projection, target }, moved) {
    const back = [v[2], v[6], v[10]];
    const eye = scaled([0, 1, 2].map((k) => v[4 * k] * v[12] + v[4 * k + 1] * v[13] + v[4 * k + 2] * v[14]), -1);
    this.turnTo(back, v);
    this.target = minus(target, moved);
    this.distance = dot(minus(eye, target), back);
    this.slope = 1 / projection[5];
  }

  /** Sees from angles, and from a distance around a target if they are given. */
  look(yaw, pitch, distance, ...target) {
    Object.assign(this, { yaw, pitch });
    if (distance) {
      Object.assign(this, { distance, target });
    }
  }

  /** What `look` takes to see the same; without what is as fitted. */
  get place() {
    const angles = [this.yaw, this.pitch].map((angle) => Number(angle.toFixed(1)));
    const isFitted = this.distance === this.fitted && this.target === this.middle;
    return isFitted ? angles : [...angles, ...[this.distance, ...this.target].map((number) => Number(number.toPrecision(6)))];
  }

  turn(yaw, pitch) {
    this.yaw += yaw;
    this.pitch = Math.max(-90, Math.min(90, this.pitch + pitch));
  }

  /** Moves by a fraction of the view's height. */
  move(right, up) {
    const axes = this.axes(), size = 2 * this.distance * this.slope;
    this.target = add(this.target, add(scaled(axes.right, -right * size), scaled(axes.up, -up * size)));
  }

  zoom(factor) {
    this.distance = Math.max(this.fitted / 200, Math.min(this.fitted * 20, this.distance / factor));
  }

  axes() {
    const [yaw, pitch] = [this.yaw, this.pitch].map((angle) => angle * Math.PI / 180);
    const level = add(scaled(this.front, Math.cos(yaw)), scaled(this.left, Math.sin(yaw)));
    return {
      right: minus(scaled(this.left, Math.cos(yaw)), scaled(this.front, Math.sin(yaw))),
      up: minus(scaled(this.up, Math.cos(pitch)), scaled(level, Math.sin(pitch))),
      back: add(scaled(level, Math.cos(pitch)), scaled(this.up, Math.sin(pitch))),
    };
  }

  /** What shaders need. `moved` is where the followed node is. Positions are relative to the centre, so that their numbers are small. */
  stand(aspect, moved = [0, 0, 0]) {
    const { right, up, back } = this.axes();
    const centre = add(this.target, moved);
    const from = sizeOf(minus(this.target, this.middle)) + this.reach;
    const near = Math.max(this.distance / 100, this.distance - from), far = this.distance + from;
    const [wide, high] = aspect < 1 ? [this.slope, this.slope / aspect] : [this.slope * aspect, this.slope];
    const view = [right[0], up[0], back[0], 0, right[1], up[1], back[1], 0, right[2], up[2], back[2], 0, 0, 0, -this.distance, 1];
    const clip = [1 / wide, 0, 0, 0, 0, 1 / high, 0, 0, 0, 0, -(far + near) / (far - near), -1, 0, 0, -2 * near * far / (far - near), 0];
    const light = ([x, y, z]) => unit(add(add(scaled(right, x), scaled(up, y)), scaled(back, z)));
    return {
      clip: product(clip, view),
      centre,
      eye: scaled(back, this.distance),
      right,
      up,
      back,
      lights: model.lights.map(light),
      height: 2 * high * this.distance,
    };
  }
}
