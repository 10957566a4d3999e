// What keeps a page true while it is open: how long ago, how long still, and what is found of a long list.

"use strict";

const spans = document.getElementById("ago").dataset;
const born = new WeakMap();

function gone(element) {
  if (!born.has(element)) born.set(element, performance.now());
  return (performance.now() - born.get(element)) / 1000;
}

function ago(seconds) {
  const [words, of] = seconds < 60 ? [spans.s, 1] : seconds < 3600 ? [spans.min, 60]
    : seconds < 86400 ? [spans.h, 3600] : [spans.d, 86400];
  return words.replace("{n}", Math.floor(seconds / of));
}

function left(seconds) {
  const whole = Math.max(0, Math.floor(seconds));
  const two = (number) => String(number).padStart(2, "0");
  return `${Math.floor(whole / 3600)}:${two(Math.floor(whole % 3600 / 60))}:${two(whole % 60)}`;
}

function show(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

function tick() {
  for (const item of document.querySelectorAll("[data-age]")) show(item, ago(Number(item.dataset.age) + gone(item)));
  for (const item of document.querySelectorAll("[data-left]")) show(item, left(Number(item.dataset.left) - gone(item)));
}

tick();
setInterval(tick, 1000);

for (const field of document.querySelectorAll("[data-find]")) {
  const places = document.querySelector(field.dataset.find);
  const none = document.getElementById("none");
  field.addEventListener("input", () => {
    const words = field.value.normalize("NFKC").toLowerCase().split(/\s+/).filter(Boolean);
    for (const item of places.querySelectorAll("[data-words]")) {
      const all = `${item.dataset.words} ${item.closest("[data-place]").dataset.place}`;
      item.hidden = !words.every((word) => all.includes(word));
    }
    for (const part of places.querySelectorAll("section")) {
      part.hidden = !part.querySelector("[data-words]:not([hidden])");
    }
    none.hidden = Boolean(places.querySelector("[data-words]:not([hidden])"));
  });
}
