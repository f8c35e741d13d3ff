(() => {
  const review = document.getElementById("review");
  if (!review) return;
  const { command, first, items } = JSON.parse(review.textContent);
  const byId = (id) => document.getElementById(id);
  const [view, time, now, play, stage, slide, gallery] =
    ["view", "time", "now", "play", "stage", "slide", "gallery"].map(byId);
  if (!items.length) return;
  const rows = [...document.querySelectorAll("#items li")];
  const boxes = rows.map((row) => row.querySelector("input"));
  const figures = ["expected", "actual", "difference"].map((name) => stage.querySelector(`.${name}`));
  const modes = [...document.querySelectorAll("input[name=mode]")];
  const STEP = 400, BLINK = 500;
  let current = 0, playing = 0, blinking = 0;

  const frames = () => items[current].frames.filter((frame) => frame.view === view.value);

  const show = () => {
    const frame = frames()[time.value];
    if (!frame) return;
    frame.pictures.forEach((bytes, index) => {
      const figure = figures[index];
      figure.classList.toggle("empty", !bytes);
      // Without one, its place stays as large as the others.
      figure.querySelector("img").src = `data:image/png;base64,${bytes || frame.pictures[1]}`;
    });
    now.value = frame.label;
    time.setAttribute("aria-valuetext", frame.label);
    byId("picture").textContent = frame.why || `${frame.file}: as approved`;
  };

  const stop = () => {
    clearInterval(playing);
    playing = 0;
    play.textContent = "Play";
  };

  const step = (by) => {
    const count = frames().length;
    if (!count) return;
    time.value = (Number(time.value) + by + count) % count;
    show();
  };

  const toggle = () => {
    if (playing) return stop();
    if (frames().length < 2) return;
    playing = setInterval(() => step(1), STEP);
    play.textContent = "Pause";
  };

  // The picture that differs most; of equal ones, the first.
  const worst = (list) => {
    const changed = list.filter((frame) => frame.verdict !== "same");
    return changed.sort((a, b) => b.pixels - a.pixels)[0];
  };

  const look = () => {
    const all = frames();
    time.max = Math.max(all.length - 1, 0);
    time.disabled = play.disabled = all.length < 2;
    time.value = Math.max(all.indexOf(worst(all)), 0);
    show();
  };

  // The approved model and the present one in motion, in place of the pictures.
  const move = byId("move");
  let isMoving = false;
  const see = toggledPair(
    move,
    () => {
      stop();
      return items[current].moving;
    },
    (moving) => {
      isMoving = moving !== null;
      gallery.hidden = isMoving || !items[current].frames.length;
    },
  );

  const choose = (index) => {
    stop();
    current = (index + items.length) % items.length;
    const item = items[current];
    rows.forEach((row, other) => {
      row.classList.toggle("current", other === current);
      row.querySelector("button").setAttribute("aria-current", String(other === current));
    });
    rows[current].scrollIntoView({ block: "nearest" });
    byId("heading").textContent = item.heading;
    byId("lines").replaceChildren(...item.lines.map((line) => {
      const entry = document.createElement("li");
      // Names between backticks are code.
      entry.append(...line.split("`").map((part, index) => {
        if (index % 2 === 0) return part;
        const code = document.createElement("code");
        code.textContent = part;
        return code;
      }));
      return entry;
    }));
    if (isMoving) see();
    move.hidden = !item.moving;
    gallery.hidden = !item.frames.length;
    const views = [...new Set(item.frames.map((frame) => frame.view))];
    view.replaceChildren(...views.map((name) => new Option(name)));
    const odd = worst(item.frames);
    if (odd) view.value = odd.view;
    look();
  };

  const setMode = (mode) => {
    stage.dataset.mode = mode;
    modes.forEach((own) => { own.checked = own.value === mode; });
    slide.parentElement.hidden = mode !== "slider";
    clearInterval(blinking);
    const blink = (shown) => {
      figures[0].classList.toggle("hidden", !shown);
      figures[1].classList.toggle("hidden", shown);
    };
    blink(true);
    if (mode === "blink") {
      let shown = true;
      blinking = setInterval(() => blink(shown = !shown), BLINK);
    } else {
      figures.forEach((figure) => figure.classList.remove("hidden"));
    }
  };

  // One line per model.
  const compose = () => {
    const words = new Set(items.filter((_, index) => boxes[index].checked).map((item) => item.modelWord));
    byId("command").value = [...words].map((word) => `${command} ${word}`).join("\n");
    byId("copy").disabled = !words.size;
    const usable = boxes.filter((box) => !box.disabled);
    const count = usable.filter((box) => box.checked).length;
    byId("all").checked = count > 0 && count === usable.length;
    byId("all").indeterminate = count > 0 && count < usable.length;
  };

  // A model is approved as a whole.
  const select = (index, checked) => {
    boxes.forEach((box, other) => {
      if (items[other].model === items[index].model) box.checked = checked;
    });
    compose();
  };

  rows.forEach((row, index) => row.querySelector("button").addEventListener("click", () => choose(index)));
  boxes.forEach((box, index) => box.addEventListener("change", () => select(index, box.checked)));
  byId("all").addEventListener("change", (event) => {
    boxes.forEach((box) => { box.checked = event.target.checked && !box.disabled; });
    compose();
  });
  byId("copy").addEventListener("click", () => {
    copy(byId("command").value, byId("copy"));
  });
  view.addEventListener("change", () => { stop(); look(); });
  time.addEventListener("input", () => { stop(); show(); });
  play.addEventListener("click", toggle);
  slide.addEventListener("input", () => stage.style.setProperty("--at", `${slide.value}%`));
  modes.forEach((mode) => mode.addEventListener("change", () => setMode(mode.value)));

  const keys = {
    ArrowUp: () => choose(current - 1),
    ArrowDown: () => choose(current + 1),
    ArrowLeft: () => { stop(); step(-1); },
    ArrowRight: () => { stop(); step(1); },
    k: () => keys.ArrowUp(),
    j: () => keys.ArrowDown(),
    ",": () => keys.ArrowLeft(),
    ".": () => keys.ArrowRight(),
    " ": toggle,
    a: () => { if (!boxes[current].disabled) select(current, !boxes[current].checked); },
  };
  addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    // Controls have keys of their own.
    const at = event.composedPath()[0].tagName;
    if (event.target.closest(".moving") && !/^[jka]$/.test(event.key)) return;
    if (at === "SELECT" || at === "TEXTAREA" || at === "INPUT") return;
    if (at === "BUTTON" && event.key === " ") return;
    const mode = modes[Number(event.key) - 1];
    const action = mode ? () => setMode(mode.value) : keys[event.key];
    if (!action) return;
    event.preventDefault();
    action();
  });
  addEventListener("beforeprint", stop);
  setMode("side");
  compose();
  choose(first);
})();
