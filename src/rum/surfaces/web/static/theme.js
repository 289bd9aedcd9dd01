// Runs before the first paint, so that a chosen theme does not flash.
(() => {
  try {
    const chosen = localStorage.getItem("rum.theme");
    if (chosen === "light" || chosen === "dark") document.documentElement.dataset.theme = chosen;
  } catch {
    // A browser without storage follows the system.
  }
})();
