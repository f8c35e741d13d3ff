(() => {
  // Both models in motion, in place of the pictures of their clip; one pair at a time.
  const buttons = [...document.querySelectorAll(".take .see button")];
  let open = null;
  for (const button of buttons) {
    button.hidden = false;
    const toggle = toggledPair(
      button,
      () => {
        open?.();
        open = toggle;
        return { models: [0, 1], take: Number(button.dataset.take) };
      },
      (moving) => {
        if (!moving) open = null;
        button.closest(".take").querySelector(".pictures").hidden = moving !== null;
      },
    );
  }
})();
