// What a keyboard has to reach on a page: controls, and parts that scroll and hold no control.
// Each is numbered in `data-walk`. Returns their markup's beginnings, in this order.
() => {
  const controls = "a[href], button, input, select, textarea, summary, [tabindex]";
  const usable = (e) =>
    e.matches(controls) && !e.disabled && e.tabIndex >= 0 && e.checkVisibility({ visibilityProperty: true });
  const scrolls = (e) => {
    const { overflowX, overflowY } = getComputedStyle(e);
    const moves = (way) => way === "auto" || way === "scroll";
    return (
      (moves(overflowX) && e.scrollWidth > e.clientWidth + 1) ||
      (moves(overflowY) && e.scrollHeight > e.clientHeight + 1)
    );
  };
  const wanted = [...document.body.querySelectorAll("*")].filter(
    (e) => usable(e) || (scrolls(e) && ![...e.querySelectorAll(controls)].some(usable)),
  );
  wanted.forEach((e, number) => { e.dataset.walk = number; });
  return wanted.map((e) => e.outerHTML.slice(0, 120));
}
