// The viewer: what the controls, the pointer and the keyboard do.

/** Turning by a drag across the view, in degrees; by a key, in degrees; zooming by a key. */
const DRAG = 270, KEY = 7.5, ZOOM = 1.15;

class Page {
  static async open(start) {
    const page = new Page();
    page.model = model;
    page.canvas = canvas;
    page.picture = byId("picture");
    page.group = [page];
    page.rig = await Rig.load();
    page.painter = await Painter.load(page.rig);
    page.camera = new Camera();
    const bare = !page.rig.instances.some((instance) => instance.mesh.count);
    page.options = { wireframe: model.show === "wireframe", skeleton: bare, grid: false, follow: true, through: false, selected: null };
    page.selected = null;
    page.pointed = null;
    page.results = null;
    page.morphs = new Morphs(page.rig, () => page.change());
    page.tree = new Tree({ onselect: (node) => page.select(node), onpoint: (node) => page.point(node) });
    page.player = new Player({ onframe: () => page.change(), ontake: (take) => page.fit(take) });
    page.offerModes();
    page.listen();
    const { paused } = await page.go(start);
    byId("still")?.remove();
    for (const id of ["canvas", "panel", "side"]) {
      byId(id).hidden = false;
    }
    new ResizeObserver(() => { thinTicks(); page.change(false); }).observe(canvas);
    page.draw();
    const calm = matchMedia("(prefers-reduced-motion: reduce)").matches;
    page.player.play(!calm && !paused);
    page.proved = page.prove().catch((error) => trouble(`The page cannot prove itself: ${error.message}`));
    return page;
  }

  async prove() {
    this.results = await proveAll(this);
    if (!this.closed) {
      showProof(this.results);
      this.change();
    }
  }

  /** Shows another version of the model in step: with this camera, at the same sample. */
  lead(other) {
    this.group = other.group = [this, other];
    this.other = other;
    other.led = true;
    other.camera = this.camera;
    byId("overlays").hidden = byId("worst").hidden = false;
    byId("morphs").hidden = true;
    root.querySelector(".timeline").after(byId("legend"));
    Promise.all([this.proved, other.proved]).then(() => {
      if (!this.closed && this.results && other.results) {
        showProof([...other.results, ...this.results]);
      }
    });
    this.player.onframe = () => {
      this.match();
      this.change();
    };
    this.match();
    this.change();
  }

  /** Shows the sample of this viewer in the other. */
  async match() {
    const { take, frame } = this.player, { player } = this.other;
    if (player.take.index !== take.index) {
      await player.choose(take.index);
    }
    const sample = take.data.kept[frame];
    player.show(Math.max(0, player.take.data.kept.findLastIndex((own) => own <= sample)), false);
  }

  /** The frame with the largest distance between versions. */
  worst() {
    const { kept, worst } = this.player.take.data;
    this.player.show(Math.max(0, kept.findLastIndex((own) => own <= worst)), false);
  }

  /** Both versions over each other: cyan only where the first is, red only where the second is. */
  lay(over) {
    byId("pictures").classList.toggle("over", over);
    byId("picture").classList.toggle("red", over);
    this.other.picture.classList.toggle("cyan", over);
    if (over) {
      this.choose("lit");
    }
  }

  /** Gives the graphics card back: browsers keep only some contexts. */
  close() {
    this.other?.close();
    this.closed = true;
    this.player.play(false);
    gl.getExtension("WEBGL_lose_context")?.loseContext();
  }

  /** What an address asks for, such as `#clip=Walk&frame=12&show=uv&camera=90,0&joint=Hips&through=1&morph=Smile,0.5` (see `hash`), or what the page was made with. */
  asked(hash) {
    const wanted = new URLSearchParams(hash.slice(1));
    const index = (list, name, otherwise) => {
      const found = list.findIndex((own) => own.name === name);
      return found < 0 ? otherwise : found;
    };
    const take = index(model.takes, wanted.get("clip"), model.first);
    const { numbers } = model.takes[take], number = Number(wanted.get("frame") ?? numbers[0]);
    const frame = Math.max(0, numbers.findLastIndex((own) => own <= number + 1e-5));
    const place = wanted.get("camera")?.split(",").map(Number);
    return {
      take,
      frame,
      show: wanted.get("show") ?? model.show,
      joint: index(model.nodes, wanted.get("joint"), model.joint),
      place: [2, 6].includes(place?.length) && place.every(Number.isFinite) ? place : null,
      through: wanted.get("through") === "1",
      morphs: wanted.getAll("morph"),
      paused: hash.length > 1,
    };
  }

  /** Shows what an address asks for, or a take at a time, seen by a camera, with marked vertices. */
  async go(start) {
    const asked = { ...this.asked(start.address ?? ""), ...start };
    this.choose(asked.show);
    this.painter.mark(asked.marks ?? []);
    this.options.through = byId("through").checked = asked.through;
    this.morphs.restore(asked.morphs);
    if (asked.joint !== null || start.joint === null) {
      this.select(asked.joint);
    }
    const { times } = model.takes[asked.take];
    const frame = (asked.time ?? null) === null ? asked.frame : Math.max(0, times.findLastIndex((own) => own <= asked.time + 1e-6));
    await this.player.choose(asked.take, frame);
    if (asked.worst) {
      this.worst();
    }
    if (asked.paused) {
      this.player.play(false);
    }
    if (asked.place) {
      this.look(...asked.place);
    }
    if (asked.camera) {
      this.camera.see(asked.camera, this.painter.followed(this.player.take, frame, this.options));
      this.change(false);
    }
    return asked;
  }

  /** The address of what is seen. */
  hash() {
    const { take, frame } = this.player;
    const seen = new URLSearchParams({ clip: take.data.name, frame: Number(take.data.numbers[frame].toFixed(5)), show: this.mode.name });
    if (this.selected !== null) {
      seen.set("joint", model.nodes[this.selected].name);
    }
    if (this.options.through) {
      seen.set("through", 1);
    }
    this.morphs.set.forEach((weight, name) => seen.append("morph", `${name},${weight}`));
    seen.set("camera", this.camera.place.join());
    return seen.toString().replaceAll("%2C", ",");
  }

  /** Lets the address follow what is seen, once that rests. */
  tell() {
    clearTimeout(this.telling);
    if (root === document && !this.player.playing) {
      this.telling = setTimeout(() => follow(this.hash()), 300);
    }
  }

  /** Downloads the image as a PNG file. */
  save() {
    this.draw();
    const { take, frame } = this.player;
    const name = `${document.title}-${take.data.name}-${Number(take.data.numbers[frame].toFixed(2))}`.replace(/[^\p{L}\p{N}.]+/gu, "-");
    element("a", "", { href: canvas.toDataURL("image/png"), download: `${name}.png` }).click();
  }

  offerModes() {
    for (const mode of model.modes) {
      byId("show").append(element("option", mode.name, { value: mode.name }));
    }
    VIEWS.forEach(([name, yaw, pitch], index) => {
      const button = element("button", name, { type: "button", title: `${name} (${index + 1})` });
      button.addEventListener("click", () => this.look(yaw, pitch));
      byId("views").append(button);
    });
    byId("caption").textContent = model.caption ?? "";
    byId("caption").hidden = !model.caption;
    byId("notes").textContent = [...model.notes.map((note) => `${note}.`), `Made by skincheck ${model.version}.`].join(" ").replace(/^./, (first) => first.toUpperCase());
  }

  choose(name) {
    const mode = model.modes.find((mode) => mode.name === name) ?? model.modes[0];
    byId("show").value = mode.name;
    this.mode = mode;
    this.painter.choose(mode);
    this.emphasize();
    if (this.other?.model.modes.some((own) => own.name === name)) {
      this.other.choose(name);
    }
  }

  /** A pointed joint is shown while it is pointed at, a selected one until another is. */
  emphasize() {
    const joint = this.selected ?? this.pointed;
    this.rig.joint = joint ?? NO_JOINT;
    this.options.selected = joint;
    showLegend(this.mode, joint);
    if (this.led && JSON.stringify(this.mode.legend) === JSON.stringify(this.group[0].mode.legend)) {
      byId("legend").hidden = true;
    }
    this.change();
  }

  select(node) {
    this.selected = node;
    this.tree.select(node);
    this.emphasize();
    const same = node === null ? -1 : this.other?.model.nodes.findIndex((own) => own.name === model.nodes[node].name);
    this.other?.select(same < 0 ? null : same);
  }

  point(node) {
    if (node !== this.pointed) {
      this.pointed = node;
      this.emphasize();
    }
  }

  fit(take) {
    if (this.led) {
      return;
    }
    this.camera.fit(take.data, this.framed);
    this.framed = true;
    byId("follows").hidden = take.data.follow === null;
    this.change();
  }

  look(...place) {
    this.camera.look(...place);
    this.change(false);
  }

  /** Draws soon, as do all viewers that share the camera; `posed` says whether vertices have moved too. */
  change(posed = true) {
    for (const page of this.group) {
      page.schedule(posed);
    }
  }

  schedule(posed) {
    this.stale ||= posed;
    if (!this.pending && this.player?.take && !this.closed) {
      this.pending = requestAnimationFrame((now) => {
        this.pending = null;
        if (this.player.playing) {
          this.player.tick(now);
        }
        this.draw();
        if (this.player.playing) {
          this.change(false);
        }
      });
    }
  }

  /** Resolves after the next image. */
  drawn() {
    this.change();
    return new Promise((resolve) => { requestAnimationFrame(() => setTimeout(resolve)); });
  }

  draw() {
    const density = Math.min(devicePixelRatio || 1, 2);
    const size = [canvas.clientWidth, canvas.clientHeight].map((side) => Math.max(1, Math.round(side * density)));
    if (canvas.width !== size[0] || canvas.height !== size[1]) {
      [canvas.width, canvas.height] = size;
    }
    const { take, frame } = this.player;
    if (this.stale) {
      this.rig.pose(take, frame, this.morphs.over(take.morphWeights(frame)));
      this.stale = false;
    }
    this.tell();
    const { grid } = this.painter.draw(take, frame, this.camera, this.options);
    const told = this.picked === undefined ? "" : describe(this.rig, this.picked);
    const side = grid && `grid of ${Number(grid.toPrecision(1))} ${model.space.metres === 1 ? "m" : "units"}`;
    byId("readout").value = [side, told].filter(Boolean).join("\n");
  }

  /** What is seen at an event's place. */
  pickAt(event) {
    const box = canvas.getBoundingClientRect(), density = canvas.width / box.width;
    return this.painter.pick(Math.floor((event.clientX - box.left) * density), Math.floor((box.bottom - event.clientY) * density));
  }

  hover(event) {
    this.hovered = event;
    this.hovering ??= requestAnimationFrame(() => {
      this.hovering = null;
      this.picked = this.pickAt(this.hovered);
      const joint = this.picked ? this.rig.influencesOf(this.picked.instance, this.picked.vertex)[0][0] : null;
      this.change(false);
      this.point(this.mode.kind === "weights" ? joint : null);
    });
  }

  listen() {
    byId("show").addEventListener("change", (event) => this.choose(event.target.value));
    for (const option of ["wireframe", "skeleton", "grid", "through", "follow"]) {
      byId(option).checked = this.options[option];
      byId(option).addEventListener("change", (event) => {
        for (const page of this.group) {
          page.options[option] = event.target.checked;
        }
        this.change(false);
      });
    }
    byId("overlay").addEventListener("change", (event) => this.lay(event.target.checked));
    byId("worst").addEventListener("click", () => this.worst());
    byId("full").addEventListener("click", () => (document.fullscreenElement ? document.exitFullscreen() : byId("stage").requestFullscreen()));
    byId("save").addEventListener("click", () => this.save());
    byId("copy").hidden = root !== document;
    byId("copy").addEventListener("click", (event) => {
      follow(this.hash());
      copy(location.href, event.target);
    });
    root.addEventListener("keydown", (event) => this.key(event));
    canvas.addEventListener("wheel", (event) => {
      event.preventDefault();
      this.camera.zoom(Math.exp(-event.deltaY * (event.deltaMode ? 0.05 : 0.0015)));
      this.change(false);
    }, { passive: false });
    canvas.addEventListener("contextmenu", (event) => event.preventDefault());
    canvas.addEventListener("webglcontextlost", () => this.closed || trouble("The browser has taken the graphics card away; reload the page."));
    this.gestures();
  }

  /** One pointer turns, the other buttons and two pointers move, two pointers zoom; a click selects. */
  gestures() {
    const pointers = new Map();
    let travelled = 0;
    canvas.addEventListener("pointerdown", (event) => {
      canvas.setPointerCapture(event.pointerId);
      pointers.set(event.pointerId, [event.clientX, event.clientY]);
      travelled = pointers.size > 1 ? Infinity : 0;
      canvas.classList.add("turning");
    });
    canvas.addEventListener("pointermove", (event) => {
      const before = pointers.get(event.pointerId);
      if (!before) {
        this.hover(event);
        return;
      }
      const [x, y] = [event.clientX - before[0], event.clientY - before[1]], height = canvas.clientHeight;
      travelled += Math.hypot(x, y);
      const other = [...pointers].find(([id]) => id !== event.pointerId)?.[1];
      if (other) {
        const apart = (place) => Math.hypot(place[0] - other[0], place[1] - other[1]);
        this.camera.zoom(apart([event.clientX, event.clientY]) / Math.max(1, apart(before)));
        this.camera.move(x / 2 / height, -y / 2 / height);
      } else if (event.buttons & 6 || event.shiftKey) {
        this.camera.move(x / height, -y / height);
      } else {
        this.camera.turn(-x / height * DRAG, y / height * DRAG);
      }
      pointers.set(event.pointerId, [event.clientX, event.clientY]);
      this.change(false);
    });
    const end = (event) => {
      pointers.delete(event.pointerId);
      canvas.classList.remove("turning");
    };
    canvas.addEventListener("pointerup", (event) => {
      if (travelled < 5 && event.button === 0) {
        this.picked = this.pickAt(event);
        const joint = this.picked && this.rig.influencesOf(this.picked.instance, this.picked.vertex)[0][0];
        this.select(joint === this.selected ? null : joint ?? null);
      }
      end(event);
    });
    canvas.addEventListener("pointercancel", end);
    canvas.addEventListener("pointerleave", (event) => {
      if (!pointers.has(event.pointerId)) {
        this.picked = null;
        this.point(null);
        this.change(false);
      }
    });
  }

  /** Does what a key asks for; returns whether it asks for anything. */
  key(event) {
    const target = event.composedPath()[0];
    // Keys in a viewer that is led reach the one that leads.
    if (this.led || event.ctrlKey || event.metaKey || event.altKey || target.closest("input[type=search], select")) {
      return false;
    }
    if (event.key === " " && target.closest("button, input, summary, a")) {
      return false;
    }
    const inCanvas = target.matches("canvas, .moving") || (root === document && target === document.body);
    const arrows = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] };
    const arrow = inCanvas && arrows[event.key];
    const toggle = (id) => byId(id).click();
    const actions = {
      " ": () => this.player.play(!this.player.playing),
      ",": () => this.player.step(-1),
      ".": () => this.player.step(1),
      "[": () => this.player.next(-1),
      "]": () => this.player.next(1),
      w: () => toggle("wireframe"),
      s: () => toggle("skeleton"),
      g: () => toggle("grid"),
      t: () => toggle("through"),
      f: () => toggle("follow"),
      m: () => this.choose(model.modes[(model.modes.indexOf(this.mode) + 1) % model.modes.length].name),
      "+": () => this.camera.zoom(ZOOM),
      "=": () => this.camera.zoom(ZOOM),
      "-": () => this.camera.zoom(1 / ZOOM),
    };
    if (this.selected !== null) {
      actions.Escape = () => this.select(null);
    }
    if (this.other) {
      Object.assign(actions, { o: () => toggle("overlay"), d: () => this.worst() });
    }
    VIEWS.forEach(([, yaw, pitch], index) => { actions[index + 1] = () => this.camera.look(yaw, pitch); });
    if (inCanvas) {
      actions.Home = () => this.camera.fit(this.player.take.data);
    }
    if (arrow) {
      const [x, y] = arrow;
      actions[event.key] = () => event.shiftKey ? this.camera.move(-0.05 * x, -0.05 * y) : this.camera.turn(KEY * x, KEY * y);
    }
    const action = actions[event.key.length === 1 ? event.key.toLowerCase() : event.key];
    if (action) {
      event.preventDefault();
      event.stopPropagation();
      action();
      this.change(false);
    }
    return Boolean(action);
  }
}

/** Leaves the still picture, and says why. */
function trouble(text) {
  byId("trouble").textContent = text;
  byId("trouble").hidden = false;
  return null;
}

/** Resolves to the viewer; to null where it cannot run, which the page then says. */
async function open() {
  if (!gl || typeof DecompressionStream === "undefined") {
    return trouble("This browser has no WebGL 2, so there are only still pictures. A current Firefox, Chrome, Edge or Safari shows the model in motion.");
  }
  try {
    return await Page.open(start);
  } catch (error) {
    return trouble(`The model cannot be shown in motion here: ${error.message}`);
  }
}
