"use strict";
(() => {
  const tree = document.getElementById("tree");
  const form = document.getElementById("filter");
  const status = form.querySelector("output");
  const nodes = tree.getElementsByTagName("details");
  // Up to this many targets are shown without another click.
  const MOST_OPENED = 300;
  const everything = status.textContent;
  let items;

  // The text that a target is searched by is read once, when it is first asked for.
  const list = () => items ||= Array.from(tree.querySelectorAll("li[data-d]"), (item) => ({ item }));
  const textOf = (entry) => entry.text ||= (entry.item.textContent + " " + decode(entry.item.id)).toLowerCase();

  function decode(text) {
    try { return decodeURIComponent(text); } catch { return text; }
  }

  function apply() {
    const words = form.q.value.toLowerCase().split(/\s+/).filter(Boolean);
    const boxes = [...form.querySelectorAll("[name=s]")];
    const states = boxes.filter((box) => box.checked).map((box) => box.value);
    const dimension = form.d.value;
    // The sets of operations that the chosen one is in; a contract without operations has no such field.
    const sets = form.o?.value && new Set(form.o.selectedOptions[0].dataset.o.split(" "));
    const isAll = !words.length && states.length === boxes.length && !dimension && !sets;
    const used = new Set();
    let shown = 0;
    for (const entry of list()) {
      const { item } = entry;
      const isShown = isAll || (states.includes(item.className)
        && (!dimension || item.dataset.d === dimension)
        && (!sets || sets.has(item.dataset.o))
        && words.every((word) => textOf(entry).includes(word)));
      item.hidden = !isShown;
      if (!isShown) continue;
      shown += 1;
      for (let node = item.closest("details"); node && !used.has(node); node = node.parentElement.closest("details")) {
        used.add(node);
      }
    }
    const isOpened = !isAll && shown <= MOST_OPENED;
    for (const node of nodes) {
      node.hidden = !used.has(node);
      if (isOpened && used.has(node)) node.open = true;
    }
    // A location of which nothing is shown keeps no text of the contract.
    for (const own of tree.getElementsByClassName("o")) own.hidden = !isAll && !own.querySelector("li:not([hidden])");
    status.textContent = isAll ? everything : `${shown} of ${everything}`;
  }

  function reveal() {
    const name = location.hash.slice(1);
    const found = name && (document.getElementById(name) || document.getElementById(decode(name)));
    if (!found) return;
    if (found.closest("[hidden]")) {
      form.reset();
      apply();
    }
    for (let node = found.closest("details"); node; node = node.parentElement.closest("details")) node.open = true;
    if (found.dataset.d) {
      found.tabIndex = -1;
      found.focus({ preventScroll: true });
    }
    // Once more when all around it has its size, which is estimated until it comes into view.
    const scroll = () => found.scrollIntoView({ block: "center" });
    scroll();
    requestAnimationFrame(() => requestAnimationFrame(scroll));
  }

  // The instance of a target, beside the target.
  function toggleExample(link) {
    const item = link.closest("li");
    const open = item.querySelector("pre");
    if (open) {
      open.remove();
    } else {
      const copy = document.querySelector(`${link.getAttribute("href")} pre`).cloneNode(true);
      copy.className = "ex";
      item.append(copy);
    }
    link.setAttribute("aria-expanded", String(!open));
  }

  let timer;
  form.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(apply, 120);
  });
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("reset", () => setTimeout(apply));
  form.addEventListener("click", ({ target }) => {
    if (target.name !== "open" && target.name !== "close") return;
    for (const node of nodes) node.open = target.name === "open";
  });
  tree.addEventListener("click", (event) => {
    const link = event.target.closest("a.e");
    if (!link) return;
    event.preventDefault();
    toggleExample(link);
  });
  addEventListener("hashchange", reveal);
  form.hidden = false;
  reveal();
  // The browser itself scrolls to the fragment of an address, but before what is closed was opened.
  addEventListener("load", reveal);
})();
