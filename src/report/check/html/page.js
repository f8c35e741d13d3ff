(() => {
  const filter = document.getElementById("filter");
  if (!filter) return;
  const byId = (id) => document.getElementById(id);
  const [text, rule, shown, none] = ["text", "rule", "shown", "none"].map(byId);
  const levels = [...filter.querySelectorAll("[name=level]")];
  const models = [...document.querySelectorAll(".model")].map((section) => {
    const name = section.querySelector("h2").firstChild.textContent.toLowerCase();
    const findings = [...section.querySelectorAll(".finding")].map((element) => ({
      element, text: `${name} ${element.textContent}`.toLowerCase(),
    }));
    const entry = document.querySelector(`.models a[href="#${section.id}"]`).parentNode;
    return { section, entry, name, failed: section.querySelector(".failure") !== null, findings };
  });
  // What is scrolled to stands below the filter where that stays in view.
  const pad = () => {
    const stays = getComputedStyle(filter).position === "sticky";
    document.documentElement.style.scrollPaddingTop = stays ? `${filter.offsetHeight}px` : "";
  };
  pad();
  new ResizeObserver(pad).observe(filter);
  const total = models.reduce((sum, model) => sum + model.findings.length, 0);
  let visible = [];

  const apply = () => {
    const words = text.value.toLowerCase().split(/\s+/).filter(Boolean);
    const wanted = new Set(levels.filter((level) => level.checked).map((level) => level.value));
    visible = [];
    for (const { section, entry, name, failed, findings } of models) {
      let any = false;
      for (const finding of findings) {
        const { rule: code, level } = finding.element.dataset;
        const fits = (!rule.value || rule.value === code) && wanted.has(level) && words.every((word) => finding.text.includes(word));
        finding.element.hidden = !fits;
        if (fits) visible.push(finding.element);
        any ||= fits;
      }
      section.hidden = !any && !(failed && !rule.value && words.every((word) => name.includes(word)));
      entry.hidden = section.hidden;
    }
    // What the filter leaves of a kind is seen, even without the first.
    document.querySelectorAll(".alike").forEach((alike) => { alike.open ||= alike.previousElementSibling.hidden; });
    shown.value = visible.length === total ? `${total} findings` : `${visible.length} of ${total} findings`;
    none.hidden = visible.length > 0;
  };

  // The filter is in the address: `#text=hips&rule=W103&level=error,warning`.
  const tell = () => {
    const wanted = new URLSearchParams();
    if (text.value.trim()) wanted.set("text", text.value.trim());
    if (rule.value) wanted.set("rule", rule.value);
    const checked = levels.filter((level) => level.checked).map((level) => level.value);
    if (checked.length < levels.length) wanted.set("level", checked.join());
    follow(wanted.toString());
  };

  // A filter, or the id of a model or finding, which is shown whatever the filter.
  const read = () => {
    const hash = location.hash.slice(1);
    const element = hash && !hash.includes("=") && byId(hash);
    if (element) {
      if (element.hidden || element.closest("[hidden]")) {
        filter.reset();
        apply();
      }
      const start = element.matches(".model") ? element.firstElementChild : element;
      for (let around = start.closest("details"); around; around = around.parentElement.closest("details")) around.open = true;
      current = element;
      element.focus({ preventScroll: true });
      element.scrollIntoView();
    } else {
      const wanted = new URLSearchParams(hash);
      text.value = wanted.get("text") ?? "";
      rule.value = wanted.get("rule") ?? "";
      if (rule.selectedIndex < 0) rule.value = "";
      const checked = wanted.get("level")?.split(",");
      levels.forEach((level) => { level.checked = checked?.includes(level.value) ?? true; });
      apply();
    }
  };

  // The finding that was stepped to or opened last.
  let current = null;

  const step = (by) => {
    const all = visible.filter((one) => !one.parentElement.closest("details:not([open])"));
    if (!all.length) return;
    const at = all.indexOf(document.activeElement.closest(".finding") ?? current);
    const next = at < 0 ? (by > 0 ? 0 : all.length - 1) : Math.min(Math.max(at + by, 0), all.length - 1);
    current = all[next];
    current.focus();
    current.scrollIntoView({ block: "nearest" });
    const button = current.querySelector(".see button");
    if (moving && button && button !== moving.button) see(button);
  };

  // One model at a time is in motion: browsers keep only some graphics contexts.
  let moving = null;

  const turn = (button, open) => {
    button.textContent = open ? "Close" : "See it move";
    button.setAttribute("aria-expanded", open);
    button.closest(".finding").classList.toggle("open", open);
  };

  const close = () => {
    turn(moving.button, false);
    remove(moving.host);
    moving = null;
  };

  // The finding's clip, time, colours, camera and vertices.
  const see = (button) => {
    if (moving?.button === button) return close();
    const { model, finding } = button.dataset;
    const { sights } = JSON.parse(byId(`model-${model}`).textContent);
    const start = { ...sights[finding], paused: true };
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
    current = button.closest(".finding");
    bringIntoView(moving.host, current.querySelector("h3"));
  };

  document.querySelectorAll(".see button").forEach((button) => {
    button.hidden = false;
    button.addEventListener("click", () => see(button));
  });

  const reset = () => {
    filter.reset();
    apply();
    tell();
    document.activeElement.blur();
  };

  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector(":popover-open")) return;
    if (event.key === "Escape") return moving ? close() : reset();
    if (event.composedPath()[0].closest("input[type=search], select")) return;
    if (event.key === "j") step(1);
    else if (event.key === "k") step(-1);
    else if (event.key === "/") { event.preventDefault(); text.focus(); }
  });
  filter.addEventListener("submit", (event) => event.preventDefault());
  filter.addEventListener("input", () => { apply(); tell(); });
  addEventListener("hashchange", read);
  read();
})();
