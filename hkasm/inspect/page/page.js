// Hover and keys on the timeline, filters by unit, and places on the heat strips. Everything works without this but those.
"use strict";
const said = document.getElementById("said");
const row = (index) => document.getElementById("i" + index);
let chosen = null;

function tell(bar) {
  if (chosen) { chosen.classList.remove("on"); }
  document.querySelectorAll(".code tr.on").forEach((one) => one.classList.remove("on"));
  chosen = bar;
  bar.classList.add("on");
  const line = row(bar.dataset.i);
  const cells = line ? line.querySelectorAll("td") : [];
  const stall = bar.dataset.s ? `; stalls: ${bar.dataset.s}` : "";
  const at = `cycle ${bar.dataset.t}, ${bar.dataset.c} long${stall}`;
  said.textContent = `${bar.dataset.i}  ${cells.length ? cells[2].textContent : ""}  —  ` +
    `${cells.length ? cells[3].dataset.full : ""}  ${cells.length ? cells[4].textContent : ""}  (${at})`;
  if (line) { line.classList.add("on"); }
}

const bars = [...document.querySelectorAll(".bar")];
bars.forEach((bar) => {
  bar.addEventListener("mouseenter", () => tell(bar));
  bar.addEventListener("focus", () => tell(bar));
  bar.addEventListener("click", () => { location.hash = "i" + bar.dataset.i; });
});

// One stop of the Tab key for the whole picture; the arrows go from bar to bar.
const stage = document.getElementById("timeline");
if (stage && bars.length) {
  bars[0].setAttribute("tabindex", "0");
  stage.addEventListener("keydown", (event) => {
    const seen = bars.filter((bar) => !bar.classList.contains("off"));
    const at = seen.indexOf(document.activeElement);
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (at < 0) { return; }
    if (event.key === "Enter") { location.hash = "i" + seen[at].dataset.i; return; }
    if (!step) { return; }
    const next = seen[Math.min(Math.max(at + step, 0), seen.length - 1)];
    seen[at].setAttribute("tabindex", "-1");
    next.setAttribute("tabindex", "0");
    next.focus();
    event.preventDefault();
  });
}

document.querySelectorAll(".units input").forEach((box) => {
  box.addEventListener("change", () => {
    document.querySelectorAll(`.bar.${box.value}, .code tr.${box.value}`).forEach((one) => {
      one.classList.toggle("off", !box.checked);
    });
    if (box.value === "arrows") {
      document.querySelectorAll(".arrow").forEach((one) => one.classList.toggle("off", !box.checked));
    }
  });
});

document.querySelectorAll(".heat").forEach((image) => {
  const owners = JSON.parse(image.dataset.owners);
  image.addEventListener("mousemove", (event) => {
    const box = image.getBoundingClientRect();
    const register = Math.floor((event.clientY - box.top) / box.height * Number(image.dataset.rows));
    const index = Math.floor((event.clientX - box.left) / box.width * Number(image.dataset.count));
    const held = owners.find((one) => one[1] <= register && register < one[2] && one[3] <= index && index < one[4]);
    const line = row(index);
    said.textContent = `${image.dataset.file}${register} ${held ? held[0] + " of " + held[5] : ""} at ${index}: ` +
      (line ? line.querySelectorAll("td")[2].textContent : "");
  });
});
