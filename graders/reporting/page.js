// A click on a heading sorts its table; numbers by size, the rest by name.
for (const table of document.querySelectorAll("table")) {
  table.querySelectorAll("thead th").forEach((head, column) => {
    const button = document.createElement("button");
    button.type = "button";
    button.append(...head.childNodes);
    head.append(button);
    const numeric = head.classList.contains("number");
    button.addEventListener("click", () => {
      const now = head.getAttribute("aria-sort");
      const descending = now ? now === "ascending" : numeric;
      for (const other of table.querySelectorAll("thead th")) other.removeAttribute("aria-sort");
      head.setAttribute("aria-sort", descending ? "descending" : "ascending");
      const body = table.tBodies[0];
      const value = (row) => row.cells[column].dataset.value;
      const order = (a, b) => numeric ? value(a) - value(b) : value(a).localeCompare(value(b));
      body.append(...[...body.rows].sort((a, b) => descending ? order(b, a) : order(a, b)));
    });
  });
}
// Paper has no folds.
addEventListener("beforeprint", () => {
  for (const fold of document.querySelectorAll("details:not([open])")) {
    fold.open = true;
    addEventListener("afterprint", () => { fold.open = false; }, { once: true });
  }
});
