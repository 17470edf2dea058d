// Runs before the first paint, so that a chosen theme does not flash the other one.
(function () {
  try {
    const chosen = localStorage.getItem('tenon.theme');
    if (chosen === 'dark' || chosen === 'light') {
      document.documentElement.dataset.theme = chosen;
    }
  } catch (e) {
    // storage is switched off: the system's preference it is
  }
})();
