// Viewers in other pages: their markup and style are in a template, and each has a tree of its own.

/** Opens the viewer of a model in an element, which resolves `opening` to the viewer, or to null where it cannot run. */
function embed(host, name, start) {
  host.classList.add("moving");
  host.attachShadow({ mode: "open" }).append(document.getElementById("viewer").content.cloneNode(true));
  host.opening = mount(host.shadowRoot, name, start).then((page) => (host.page = page));
  return host;
}

/** Opens two versions of a model in an element: one camera and one timeline, those of the second, show both. */
function embedPair(host, [first, second], start) {
  const other = document.createElement("div");
  other.classList.add("led");
  host.append(other);
  const opening = [embed(other, first, start), embed(host, second, start)].map((one) => one.opening);
  host.opening = Promise.all(opening).then(([led, page]) => {
    if (led && page) {
      page.lead(led);
    }
    return page;
  });
  return host;
}

/**
 * A button that opens two versions in motion, and closes them again; returns a function that does either.
 *
 * `chosen` has the models and the take to begin with; `changed` is told the element that shows them, or null.
 */
function toggledPair(button, chosen, changed) {
  let moving = null;
  const toggle = () => {
    if (moving) {
      remove(moving);
      moving = null;
    } else {
      const { models, take } = chosen();
      moving = embedPair(document.createElement("div"), models, { take, paused: true, worst: true });
      button.parentNode.after(moving);
    }
    if (moving) {
      bringIntoView(moving, button);
    }
    button.textContent = moving ? "Close" : "See both move";
    button.setAttribute("aria-expanded", moving !== null);
    changed(moving);
  };
  button.addEventListener("click", toggle);
  return toggle;
}

// Keys work wherever the focus is: first those of the open viewer, then those of the page.
document.addEventListener("keydown", (event) => {
  const target = event.composedPath()[0];
  if (event.ctrlKey || event.metaKey || event.altKey || target.closest("input[type=search], select, textarea")) {
    return;
  }
  if (event.key === "?") {
    document.getElementById("keys").togglePopover();
  } else if (document.querySelector(".moving:not(.led)")?.page?.key(event)) {
    event.stopImmediatePropagation();
  }
});

/** Copies a text, also where a page is not served securely, and says so on the button. */
function copy(text, button) {
  const area = document.createElement("textarea"), label = button.textContent;
  area.value = text;
  document.body.append(area);
  area.select();
  document.execCommand("copy");
  area.remove();
  button.textContent = "Copied";
  button.disabled = true;
  setTimeout(() => Object.assign(button, { textContent: label, disabled: false }), 1500);
}

/** Scrolls as little as shows a viewer that is opening down to its play bar, and, if there is room, what is above it from `first` on. */
function bringIntoView(host, first) {
  host.opening.then(() => {
    for (const element of [first, host.shadowRoot.querySelector(".timeline")]) {
      element.scrollIntoView({ block: "nearest" });
    }
  });
}

/** The address follows what is shown, except inside of a page that forbids it. */
function follow(hash) {
  try {
    history.replaceState(null, "", `#${hash}`);
  } catch {
    // The page is part of another.
  }
}

function remove(host) {
  host.remove();
  host.opening.then((page) => page?.close());
}
