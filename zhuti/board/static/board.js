"use strict";
// A key presses the button that names it, unless somebody types.
document.addEventListener("keyup", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName)) return;
  const button = [...document.querySelectorAll("[data-key]")].find((one) => one.dataset.key === event.key);
  if (button) button.click();
});
