// The page proves itself: vertices read back from the graphics card against those that skincheck computed.

/** Compares one frame of a take. */
async function prove(rig, index) {
  const take = await Take.load(index), { proof } = take.data;
  const positions = await floats(proof.positions), bounds = await floats(proof.bounds);
  rig.pose(take, proof.frame);
  const result = { take, version: model.caption, compared: 0, wrong: 0, farthest: 0, share: 0 };
  for (const instance of rig.instances) {
    const posed = rig.read(instance);
    const skipped = (proof.every - instance.first % proof.every) % proof.every;
    for (let vertex = skipped; vertex < instance.mesh.vertices; vertex += proof.every) {
      const k = (instance.first + vertex) / proof.every, bound = bounds[k];
      const own = positions.subarray(3 * k, 3 * k + 3);
      // Where numbers overflow, there is nothing to compare.
      if (!Number.isFinite(bound) || !own.every(Number.isFinite)) {
        continue;
      }
      const distance = Math.hypot(...[0, 1, 2].map((axis) => posed[7 * vertex + axis] - own[axis]));
      ++result.compared;
      if (!(distance <= bound)) {
        ++result.wrong;
        result.farthest = Math.max(result.farthest, Number.isFinite(distance) ? distance : Infinity);
      } else if (bound > 0) {
        result.share = Math.max(result.share, distance / bound);
      }
    }
  }
  return result;
}

/** Compares the frame of every take that is farthest from rest. The page draws in between. */
async function proveAll(page) {
  const results = [];
  for (let index = 0; index < model.takes.length; ++index) {
    byId("proof").textContent = `Comparing this page with skincheck's own vertices: ${index + 1} of ${model.takes.length}`;
    results.push(await prove(page.rig, index));
    await page.drawn();
    if (page.closed) {
      break;
    }
  }
  return results;
}

/** Shows results in the footer. Of a model without vertices there are none. */
function showProof(results) {
  const shown = byId("proof"), wrong = results.filter((result) => result.wrong);
  const sum = (list, key) => list.reduce((all, result) => all + result[key], 0);
  shown.dataset.state = wrong.length ? "failed" : "passed";
  if (wrong.length) {
    const worst = wrong.reduce((a, b) => b.farthest > a.farthest ? b : a);
    shown.textContent = `Do not trust this picture: ${sum(wrong, "wrong")} vertices are not where skincheck puts them, ` +
      `by up to ${worst.farthest.toPrecision(3)} units in “${worst.take.data.name}”${worst.version ? ` (${worst.version})` : ""}. The graphics driver of this browser skins wrongly, ` +
      "or the page was changed; skincheck writes it anew.";
    return;
  }
  const compared = sum(results, "compared");
  if (!compared) {
    shown.textContent = "";
    return;
  }
  const poses = results.length === 1 ? "one pose" : `${results.length} poses`;
  const share = Math.max(...results.map((result) => result.share));
  const near = share === 0 ? "to the bit" : `within ${Math.max(1, Math.ceil(100 * share))} % of what 32-bit rounding explains`;
  shown.textContent = `Proved in this browser: ${compared.toLocaleString("en")} vertices in ${poses} are where skincheck's own ` +
    `skinning puts them, ${near}. The poses are those farthest from rest.`;
}
