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
    button.textContent = moving ? "Close" : "See both move";
    button.setAttribute("aria-expanded", moving !== null);
    changed(moving);
  };
  button.addEventListener("click", toggle);
  return toggle;
}

function remove(host) {
  host.remove();
  host.opening.then((page) => page?.close());
}
