// What the colours mean, and what is under the pointer. Names of the model are text, never HTML.

function element(kind, text = "", attributes = {}) {
  const made = document.createElement(kind);
  made.textContent = text;
  Object.assign(made, attributes);
  return made;
}

function showLegend(mode, joint) {
  const box = byId("legend");
  box.replaceChildren();
  if (mode.missing) {
    box.append(element("p", mode.missing));
  }
  const { legend } = mode;
  box.hidden = !legend && !mode.missing;
  if (!legend) {
    return;
  }
  const title = mode.kind === "weights" ? (joint === null ? "weight: point at a joint or at the model" : `weight of ${model.nodes[joint].name}`) : legend.title;
  box.append(element("p", title));
  if (legend.ramp.length) {
    const ramp = element("div", "", { className: "ramp" });
    ramp.style.background = `linear-gradient(to right, ${legend.ramp.join()})`;
    const ticks = element("div", "", { className: "ticks" });
    for (const { at, label } of legend.ticks) {
      const tick = element("span", label);
      tick.style.left = `${100 * at}%`;
      ticks.append(tick);
    }
    box.append(ramp, ticks);
  }
  const list = element("ul");
  for (const { color, meaning } of legend.swatches) {
    const item = element("li"), swatch = element("span", "", { className: "swatch" });
    swatch.style.background = color;
    item.append(swatch, element("span", meaning));
    list.append(item);
  }
  if (legend.more) {
    list.append(element("li", `and ${legend.more} more`));
  }
  box.append(list);
  thinTicks();
}

/** Hides numbers on a scale that others would cover; the ends stay. */
function thinTicks() {
  const ticks = [...byId("legend").querySelectorAll(".ticks span")], gap = 4;
  if (ticks.length < 3) return;
  const edges = ticks.map((tick) => tick.getBoundingClientRect());
  let end = edges.at(-1).left;
  for (let index = ticks.length - 2; index > 0; --index) {
    const { left, right } = edges[index], fits = right + gap <= end && left >= edges[0].right + gap;
    ticks[index].style.visibility = fits ? "" : "hidden";
    if (fits) end = left;
  }
}

/** Mesh, vertex and weights. */
function describe(rig, picked) {
  if (!picked) {
    return "";
  }
  const shares = rig.influencesOf(picked.instance, picked.vertex);
  const percent = (share) => `${(100 * share).toFixed(share < 0.0995 ? 1 : 0)} %`;
  const listed = shares.slice(0, 6).map(([node, share]) => `${model.nodes[node].name} ${percent(share)}`);
  const more = shares.length > 6 ? `, ${shares.length - 6} more` : "";
  return `${picked.instance.name}, vertex ${picked.vertex}\n${listed.join(", ")}${more}`;
}
