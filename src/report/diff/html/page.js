(() => {
  const takes = JSON.parse(document.getElementById("frames").textContent);
  const byId = (id) => document.getElementById(id);
  const [clip, time, now, play] = ["clip", "time", "now", "play"].map(byId);
  if (!clip) return;
  const pictures = ["before", "after", "heat"].map((name) => [...document.querySelectorAll(`img.${name}`)]);
  const sections = [...document.querySelectorAll("[data-take]")];
  const uri = (bytes) => `data:image/png;base64,${bytes}`;
  let timer = 0;

  const frames = () => takes[clip.value].frames;

  const show = () => {
    const frame = frames()[time.value];
    pictures.forEach((images, index) => images.forEach((image) => { image.src = uri(frame.pictures[index]); }));
    now.value = frame.label;
    time.setAttribute("aria-valuetext", frame.label);
    for (const plot of document.querySelectorAll("section:not([hidden]) svg.time")) {
      const { start, span, left, width } = plot.dataset;
      const x = Number(left) + (frame.time - start) / span * width;
      const cursor = plot.querySelector(".cursor");
      cursor.setAttribute("x1", x);
      cursor.setAttribute("x2", x);
    }
  };

  const choose = () => {
    const take = takes[clip.value];
    time.max = take.frames.length - 1;
    time.disabled = play.disabled = take.frames.length < 2;
    time.value = take.worst;
    byId("left-out").textContent = take.left_out;
    for (const section of sections) section.hidden = section.dataset.take !== String(take.take);
    show();
  };

  const stop = () => {
    clearInterval(timer);
    timer = 0;
    play.textContent = "Play";
  };

  const step = () => {
    time.value = (Number(time.value) + 1) % frames().length;
    show();
  };

  clip.addEventListener("change", () => { stop(); choose(); });
  time.addEventListener("input", () => { stop(); show(); });
  play.addEventListener("click", () => {
    if (timer) return stop();
    timer = setInterval(step, 150);
    play.textContent = "Pause";
  });

  // Both models in motion, in place of the pictures.
  const move = byId("move");
  if (move) {
    move.hidden = false;
    toggledPair(
      move,
      () => {
        stop();
        return { models: [0, 1], take: Number(clip.value) };
      },
      (moving) => {
        document.querySelector(".pictures").hidden = moving !== null;
        moving?.scrollIntoView({ block: "nearest" });
      },
    );
  }

  addEventListener("beforeprint", stop);
  choose();
})();
