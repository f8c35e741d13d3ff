// The page of one model. The address says what is shown, and follows it.

let page = null;
if (document.getElementById("canvas")) {
  mount(document, 0, { address: location.hash }).then((opened) => { page = opened; });
  addEventListener("hashchange", () => page?.go({ address: location.hash }));
}
