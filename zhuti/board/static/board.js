"use strict";
// A key presses the button that names it, unless somebody types.
document.addEventListener("keyup", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName)) return;
  const button = [...document.querySelectorAll("[data-key]")].find((one) => one.dataset.key === event.key);
  if (button) button.click();
});
// What somebody types is not replaced by a page that is newer. A box to tick has the value "on" and no default value.
document.addEventListener("htmx:beforeRequest", (event) => {
  const isChanged = (one) => (one.type === "checkbox" ? one.checked !== one.defaultChecked : one.value !== one.defaultValue);
  const fields = [...document.querySelectorAll("main input, main textarea")];
  if (fields.some((one) => isChanged(one) || one === document.activeElement)) event.preventDefault();
});
