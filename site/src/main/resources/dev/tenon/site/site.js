// The search: every word must be in the title of a page, or in one of its headings.
const root = document.currentScript?.dataset.root ?? "";
const field = document.querySelector("input[type=search]");
const found = document.getElementById("found");
const MOST = 30;

function entries(words) {
  const has = (text) => words.every((word) => text.toLowerCase().includes(word));
  const hits = [];
  for (const { page, title, headings } of SEARCH) {
    if (has(title)) hits.push([page, title, ""]);
    for (const [text, id] of headings) {
      if (has(title + " " + text) && !has(title)) hits.push([page + "#" + id, text, title]);
    }
  }
  return hits.slice(0, MOST);
}

function show() {
  const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
  found.replaceChildren(
    ...(words.length ? entries(words) : []).map(([page, text, title]) => {
      const item = document.createElement("li");
      const link = item.appendChild(document.createElement("a"));
      link.href = root + page;
      link.append(text);
      if (title) {
        const where = link.appendChild(document.createElement("small"));
        where.textContent = " · " + title;
      }
      return item;
    }),
  );
}

field.addEventListener("input", show);
field.form.addEventListener("submit", (event) => {
  event.preventDefault();
  found.querySelector("a")?.click();
});
document.addEventListener("keydown", (event) => {
  if (event.key === "/" && document.activeElement !== field) {
    event.preventDefault();
    field.focus();
  }
  if (event.key === "Escape") {
    field.value = "";
    show();
  }
});
