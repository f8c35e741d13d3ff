// Sliders of morph targets. Each moves all targets of its name, whatever the clip does.

class Morphs {
  /** `onchange` is called when a weight is set. */
  constructor(rig, onchange) {
    this.rig = rig;
    this.onchange = onchange;
    this.set = new Map();
    this.sliders = new Map();
    this.names = new Set(rig.meshes.flatMap((mesh) => mesh?.names ?? []));
    const box = byId("morphs");
    box.hidden = !this.names.size;
    box.addEventListener("toggle", () => {
      byId("targets").append(...[...this.names].map((name) => this.row(name)));
      onchange();
    }, { once: true });
    byId("posed").addEventListener("click", () => {
      this.set.clear();
      onchange();
    });
  }

  /** Sets the weights that an address asks for, such as `Smile,0.5`, and no others. */
  restore(listed) {
    const weights = listed.map((text) => {
      const comma = text.lastIndexOf(",");
      return [text.slice(0, comma), Number(text.slice(comma + 1))];
    });
    this.set = new Map(weights.filter(([name, weight]) => this.names.has(name) && Number.isFinite(weight)));
    byId("morphs").open ||= this.set.size > 0;
  }

  row(name) {
    const row = element("li"), label = element("label", "", { title: name });
    const slider = element("input", "", { type: "range", min: 0, max: 1, step: 0.01 });
    slider.addEventListener("input", () => {
      this.set.set(name, Number(slider.value));
      this.onchange();
    });
    this.sliders.set(name, slider);
    label.append(element("span", name), slider);
    row.append(label);
    return row;
  }

  /** The weights of a frame, except those that were set, which the sliders show. */
  over(weights) {
    if (!this.set.size && !this.sliders.size) {
      return weights;
    }
    const all = weights.slice();
    for (const { mesh, firstWeight } of this.rig.instances) {
      mesh.names.forEach((name, target) => {
        const weight = this.set.get(name) ?? all[firstWeight + target];
        all[firstWeight + target] = weight;
        const slider = this.sliders.get(name);
        if (slider) {
          slider.value = weight;
        }
      });
    }
    return all;
  }
}
