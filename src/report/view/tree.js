// The tree of nodes. Rows are made when their parent is unfolded, so that thousands of nodes are no burden.

/** The most rows that a search shows. */
const MOST_FOUND = 200;
/** Trees up to this size are unfolded at first. */
const UNFOLDED = 150;

/** What all names begin with, up to a colon, such as "mixamorig:". */
function commonPrefix(names) {
  const prefix = names[0]?.slice(0, names[0].lastIndexOf(":") + 1) ?? "";
  return names.length > 1 && names.every((name) => name.startsWith(prefix)) ? prefix : "";
}

class Tree {
  /** `onselect` and `onpoint` are called with a node, or with null. */
  constructor({ onselect, onpoint }) {
    this.root = byId("tree");
    this.find = byId("find");
    this.selected = null;
    this.onselect = onselect;
    this.children = model.nodes.map(() => []);
    this.roots = [];
    model.nodes.forEach(({ parent, helps }, node) => helps || (parent === null ? this.roots : this.children[parent]).push(node));
    this.prefix = commonPrefix(model.nodes.filter((node) => node.joint).map((node) => node.name));
    this.open = new Set(model.nodes.length <= UNFOLDED ? model.nodes.keys() : this.roots);
    this.root.addEventListener("click", (event) => this.click(event));
    this.root.addEventListener("keydown", (event) => this.key(event));
    this.root.addEventListener("pointermove", (event) => onpoint(this.nodeOf(event.target)));
    this.root.addEventListener("pointerleave", () => onpoint(null));
    this.find.addEventListener("input", () => this.fill());
    this.fill();
  }

  nodeOf(target) {
    const row = target.closest("li");
    return row ? Number(row.dataset.node) : null;
  }

  fill() {
    const wanted = this.find.value.trim().toLowerCase();
    const rows = [];
    if (wanted) {
      model.nodes.forEach(({ name, helps }, node) => {
        if (!helps && rows.length < MOST_FOUND && name.toLowerCase().includes(wanted)) {
          rows.push(this.row(node, 0, false));
        }
      });
    } else {
      const pending = this.roots.map((node) => [node, 0]).reverse();
      while (pending.length && rows.length < 5000) {
        const [node, depth] = pending.pop();
        rows.push(this.row(node, depth, true));
        if (this.open.has(node)) {
          pending.push(...this.children[node].map((child) => [child, depth + 1]).reverse());
        }
      }
    }
    this.root.replaceChildren(...rows);
    this.focusable();
  }

  row(node, depth, folds) {
    const { name, joint, color } = model.nodes[node], row = element("li");
    const inner = folds && this.children[node].length > 0;
    row.setAttribute("role", "treeitem");
    row.setAttribute("aria-level", depth + 1);
    row.setAttribute("aria-selected", node === this.selected);
    row.style.paddingLeft = `${0.2 + 0.6 * Math.min(depth, 16)}rem`;
    row.dataset.node = node;
    row.tabIndex = -1;
    if (inner) {
      row.setAttribute("aria-expanded", this.open.has(node));
    }
    const dot = element("span", "", { className: "swatch" });
    dot.style.background = joint ? color : "transparent";
    const label = element("span", "", { className: joint ? "name" : "name other", title: joint ? name : `${name} (no skin binds it)` });
    label.append(element("bdi", name.slice(name.startsWith(this.prefix) ? this.prefix.length : 0)));
    row.append(element("span", inner ? (this.open.has(node) ? "▾" : "▸") : "", { className: "fold" }), dot, label);
    return row;
  }

  /** One row takes part in the order of Tab: the selected one, or the first. */
  focusable() {
    const rows = [...this.root.children];
    const row = rows.find((row) => Number(row.dataset.node) === this.selected) ?? rows[0];
    if (row) {
      row.tabIndex = 0;
    }
  }

  click(event) {
    const node = this.nodeOf(event.target);
    if (node === null) {
      return;
    }
    if (event.target.classList.contains("fold") && this.children[node].length) {
      this.toggle(node);
    } else {
      this.onselect(node === this.selected ? null : node);
    }
  }

  toggle(node, open = !this.open.has(node)) {
    const changed = open !== this.open.has(node);
    if (open) {
      this.open.add(node);
    } else {
      this.open.delete(node);
    }
    if (changed) {
      this.fill();
      this.focus(node);
    }
    return changed;
  }

  focus(node) {
    this.root.querySelector(`[data-node="${node}"]`)?.focus();
  }

  key(event) {
    const row = event.target.closest("li"), node = row && Number(row.dataset.node);
    if (!row || event.ctrlKey || event.metaKey || event.altKey) {
      return;
    }
    const actions = {
      ArrowDown: () => row.nextElementSibling?.focus(),
      ArrowUp: () => row.previousElementSibling?.focus(),
      ArrowRight: () => this.children[node].length && (this.toggle(node, true) || row.nextElementSibling?.focus()),
      ArrowLeft: () => (this.children[node].length && this.toggle(node, false)) || this.focus(model.nodes[node].parent),
      Home: () => this.root.firstElementChild.focus(),
      End: () => this.root.lastElementChild.focus(),
      Enter: () => this.onselect(node === this.selected ? null : node),
      " ": () => this.onselect(node === this.selected ? null : node),
    };
    if (actions[event.key]) {
      event.preventDefault();
      event.stopPropagation();
      actions[event.key]();
    }
  }

  /** Shows that a node is selected, wherever it was selected. */
  select(node) {
    const had = this.root.contains(root.activeElement);
    this.selected = node;
    for (let above = node === null ? null : model.nodes[node].parent; above !== null; above = model.nodes[above].parent) {
      this.open.add(above);
    }
    this.fill();
    const row = node === null ? null : this.root.querySelector(`[data-node="${node}"]`);
    row?.scrollIntoView({ block: "nearest" });
    if (had) {
      row?.focus();
    }
  }
}
