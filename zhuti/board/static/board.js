"use strict";
// A key presses the button that names it, unless somebody types.
document.addEventListener("keyup", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName)) return;
  const button = [...document.querySelectorAll("[data-key]")].find((one) => one.dataset.key === event.key);
  if (button) button.click();
});
// What somebody types is not replaced by a page that is newer.
document.addEventListener("htmx:beforeRequest", (event) => {
  const fields = [...document.querySelectorAll("main input, main textarea")];
  if (fields.some((one) => one.value !== one.defaultValue || one.checked !== one.defaultChecked || one === document.activeElement)) event.preventDefault();
});
