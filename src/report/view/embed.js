// Viewers in other pages: their markup and style are in a template, and each has a tree of its own.

/** Opens the viewer of a model below an element. Its host resolves `opening` to the viewer, or to null where it cannot run. */
function embed(above, name, start) {
  const host = document.createElement("div");
  host.className = "moving";
  above.after(host);
  host.attachShadow({ mode: "open" }).append(document.getElementById("viewer").content.cloneNode(true));
  host.opening = mount(host.shadowRoot, name, start).then((page) => (host.page = page));
  return host;
}

function remove(host) {
  host.remove();
  host.opening.then((page) => page?.close());
}
