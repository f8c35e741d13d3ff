// Which take and frame are shown, and playing.

class Player {
  /** `onframe` is called when another frame is to be seen, `ontake` when another take is. */
  constructor({ onframe, ontake }) {
    Object.assign(this, { onframe, ontake, frame: 0, playing: false, speed: 1, take: null });
    Object.assign(this, { bar: byId("time"), now: byId("now"), button: byId("play"), list: byId("take") });
    for (const [value, { name, clip, times }] of model.takes.entries()) {
      const length = times[times.length - 1] - times[0];
      this.list.append(element("option", clip ? `${name} · ${Number(length.toFixed(2))} s` : name, { value }));
    }
    // With more than one row, it is a list.
    this.list.size = Math.min(model.takes.length, 7);
    this.list.addEventListener("change", () => this.choose(Number(this.list.value)));
    this.bar.addEventListener("input", () => this.show(Number(this.bar.value), false));
    this.button.addEventListener("click", () => this.play(!this.playing));
    byId("back").addEventListener("click", () => this.step(-1));
    byId("on").addEventListener("click", () => this.step(1));
    byId("speed").addEventListener("change", (event) => { this.speed = Number(event.target.value); });
  }

  async choose(index, frame = 0) {
    const asked = this.asked = Symbol("take");
    const take = await Take.load(index);
    if (asked !== this.asked) {
      return;
    }
    this.take = take;
    this.list.value = index;
    this.bar.max = take.count - 1;
    const still = take.count < 2;
    for (const id of ["play", "back", "on", "time"]) {
      byId(id).disabled = still;
    }
    if (still) {
      this.play(false);
    }
    this.ontake(take);
    this.show(Math.min(frame, take.count - 1));
  }

  show(frame, playing = this.playing) {
    this.play(playing);
    this.frame = frame;
    this.bar.value = frame;
    const { times, numbers, clip } = this.take.data;
    const number = Number(numbers[frame].toFixed(2));
    this.now.value = clip ? `frame ${number} · ${times[frame].toFixed(3)} s` : "";
    this.bar.setAttribute("aria-valuetext", this.now.value);
    this.since = null;
    this.onframe();
  }

  step(by) {
    const { count } = this.take;
    this.show((this.frame + by + count) % count, false);
  }

  /** The take before or after. */
  next(by) {
    const { length } = model.takes;
    return this.choose((this.take.index + by + length) % length);
  }

  play(on) {
    this.playing = on && this.take.count > 1;
    this.button.textContent = this.playing ? "Pause" : "Play";
    this.button.setAttribute("aria-pressed", this.playing);
    this.since = null;
  }

  /** Called before each image while playing, with milliseconds. */
  tick(now) {
    const { times } = this.take.data, last = times.length - 1;
    this.since ??= { now, time: times[this.frame] };
    const passed = (now - this.since.now) / 1000 * this.speed, duration = times[last] - times[0];
    let time = this.since.time + passed;
    if (time >= times[last]) {
      time = times[0] + (time - times[0]) % (duration || 1);
      this.since = { now, time };
    }
    let frame = times.findLastIndex((own) => own <= time);
    frame = Math.max(0, frame);
    if (frame !== this.frame) {
      const { since } = this;
      this.show(frame);
      this.since = since;
    }
  }
}
