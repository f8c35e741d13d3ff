(() => {
  const filter = document.getElementById("filter");
  if (!filter) return;
  const byId = (id) => document.getElementById(id);
  const [text, rule, shown, none] = ["text", "rule", "shown", "none"].map(byId);
  const levels = [...filter.querySelectorAll("[name=level]")];
  const models = [...document.querySelectorAll(".model")].map((section) => {
    const name = section.querySelector("h2").firstChild.textContent;
    const findings = [...section.querySelectorAll(".finding")].map((element) => ({
      element, text: `${name} ${element.innerText}`.toLowerCase(),
    }));
    return { section, name: name.toLowerCase(), failed: section.querySelector(".failure") !== null, findings };
  });
  const total = models.reduce((sum, model) => sum + model.findings.length, 0);
  let visible = [];

  const apply = () => {
    const words = text.value.toLowerCase().split(/\s+/).filter(Boolean);
    const wanted = new Set(levels.filter((level) => level.checked).map((level) => level.value));
    visible = [];
    for (const { section, name, failed, findings } of models) {
      let any = false;
      for (const finding of findings) {
        const { rule: code, level } = finding.element.dataset;
        const fits = (!rule.value || rule.value === code) && wanted.has(level) && words.every((word) => finding.text.includes(word));
        finding.element.hidden = !fits;
        if (fits) visible.push(finding.element);
        any ||= fits;
      }
      section.hidden = !any && !(failed && !rule.value && words.every((word) => name.includes(word)));
    }
    shown.value = visible.length === total ? `${total} findings` : `${visible.length} of ${total} findings`;
    none.hidden = visible.length > 0;
  };

  const step = (by) => {
    if (!visible.length) return;
    const at = visible.indexOf(document.activeElement.closest(".finding"));
    const next = at < 0 ? (by > 0 ? 0 : visible.length - 1) : Math.min(Math.max(at + by, 0), visible.length - 1);
    visible[next].focus();
    visible[next].scrollIntoView({ block: "nearest" });
    const button = visible[next].querySelector(".see button");
    if (moving && button && button !== moving.button) see(button);
  };

  // One model at a time is in motion: browsers keep only some graphics contexts.
  let moving = null;

  const turn = (button, open) => {
    button.textContent = open ? "Close" : "See it move";
    button.setAttribute("aria-expanded", open);
    button.closest(".finding")?.classList.toggle("open", open);
  };

  const close = () => {
    turn(moving.button, false);
    remove(moving.host);
    moving = null;
  };

  // The finding's clip, time, colours, camera and vertices; for a model, its first clip.
  const see = (button) => {
    if (moving?.button === button) return close();
    const { model, finding } = button.dataset;
    const { sights } = JSON.parse(byId(`model-${model}`).textContent);
    const start = finding === undefined ? {} : { ...sights[finding], paused: true };
    if (moving?.model === model) {
      turn(moving.button, false);
      button.parentNode.after(moving.host);
      moving.host.opening.then((page) => page?.go(start));
      moving.button = button;
    } else {
      if (moving) close();
      moving = { button, model, host: embed(document.createElement("div"), model, start) };
      button.parentNode.after(moving.host);
    }
    turn(button, true);
    moving.host.scrollIntoView({ block: "nearest" });
  };

  document.querySelectorAll(".see button").forEach((button) => {
    button.hidden = false;
    button.addEventListener("click", () => see(button));
  });

  const reset = () => {
    filter.reset();
    apply();
    document.activeElement.blur();
  };

  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "Escape") { reset(); return; }
    if (/^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName)) return;
    if (event.key === "j") step(1);
    else if (event.key === "k") step(-1);
    else if (event.key === "/") { event.preventDefault(); text.focus(); }
  });
  filter.addEventListener("submit", (event) => event.preventDefault());
  filter.addEventListener("input", apply);
  apply();
})();
