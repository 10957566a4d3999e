// What pages do without being loaded anew. Everything works without it too.
//
// A form with data-into="SELECTOR" is sent in the background, and what comes back, which the server has escaped, is put
// at the end of that element, or in the place of what has the same id. An element with data-feed="PATH" gets what the
// server sends there, as it happens. What a <details data-load="PATH"> holds is asked for when it is opened.

"use strict";

const notice = document.getElementById("notice");

const drawn = new WeakMap(); // an element -> how the server drew it

function complain(what) {
  notice.textContent = what;
  notice.hidden = !what;
}

function put(html, into) {
  const held = document.createElement("template");
  held.innerHTML = html;
  for (const item of [...held.content.children]) {
    const old = item.id ? document.getElementById(item.id) : null;
    // What comes twice, as an answer and from the feed, is left as it is: it may have been opened meanwhile.
    if (old && drawn.get(old) === item.outerHTML) {
      item.remove();
      continue;
    }
    drawn.set(item, item.outerHTML);
    const open = old?.querySelector("details[open]");
    if (open) item.querySelector("details")?.replaceWith(open);
    if (old) old.replaceWith(item);
  }
  into.append(held.content);
  into.lastElementChild?.scrollIntoView({ block: "nearest" });
}

async function send(form, submitter) {
  const into = document.querySelector(form.dataset.into);
  const said = new URLSearchParams(new FormData(form, submitter));
  const buttons = form.querySelectorAll("button");
  buttons.forEach((button) => { button.disabled = true; });
  form.setAttribute("aria-busy", "true");
  try {
    const answer = await fetch(form.action, { method: "POST", body: said, headers: { "X-Fragment": "1" } });
    if (answer.ok) {
      complain("");
      put(await answer.text(), into);
      for (const field of form.querySelectorAll("input:not([type]), textarea")) field.value = "";
    } else if (answer.status === 401 || answer.status === 403) {
      complain(notice.dataset.stale);
    } else {
      complain(new DOMParser().parseFromString(await answer.text(), "text/html").querySelector("main p")?.textContent
        || notice.dataset.away);
    }
  } catch {
    complain(notice.dataset.away);
  } finally {
    form.removeAttribute("aria-busy");
    buttons.forEach((button) => { button.disabled = false; });
    document.querySelector("form[data-into] [autofocus]")?.focus();
  }
}

document.addEventListener("submit", (event) => {
  const form = event.target;
  if (!form.dataset.into) return;
  event.preventDefault();
  if (form.getAttribute("aria-busy") !== "true") send(form, event.submitter);
});

for (const element of document.querySelectorAll("[data-feed]")) {
  const feed = new EventSource(element.dataset.feed);
  feed.addEventListener("message", (event) => put(event.data, element));
}

document.addEventListener("toggle", async (event) => {
  const details = event.target;
  if (!details.open || !details.dataset?.load) return;
  const path = details.dataset.load;
  delete details.dataset.load;
  try {
    const answer = await fetch(path, { headers: { "X-Fragment": "1" } });
    if (!answer.ok) throw new Error(answer.statusText);
    const held = document.createElement("template");
    held.innerHTML = await answer.text();
    details.lastElementChild.replaceChildren(held.content);
  } catch {
    details.dataset.load = path;
    complain(notice.dataset.away);
  }
}, true);
