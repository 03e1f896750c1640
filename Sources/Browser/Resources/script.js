// Shows the screens of a BrowserDisplay: receives the page and its changes as server-sent events, and posts what a person does.
"use strict";

const main = document.getElementById("screen");
const announcer = document.getElementById("announcer");

// The last page message: its stream, server, screen, model and depth.
let page = {};
// The number of the last message that was sent, and of the last one that the server has handled.
let sent = 0;
let handled = 0;
// The number of the last message of the back button that the server has not handled; 0 if it has handled all.
let goingBack = 0;
// The last edit of each field that is typed in: its number, by the id of the control.
const edits = new Map();
// The texts typed on the current screen, by the names of the fields: they are restored if the server was restarted.
let drafts = new Map();
// The scroll positions of the screens beneath.
const scrolls = [];

// MARK: Receiving

function receivePage(next) {
  const isReconnected = page.stream !== undefined && page.stream !== next.stream;
  const isRestarted = page.server !== next.server;
  // After a restart of the server all screens are new. One with the same title is taken for the same screen.
  const isOtherScreen = !isReconnected ? page.screen !== next.screen
    : isRestarted ? page.title !== next.title : page.model !== next.model;
  const depth = page.depth;
  const unsent = isReconnected ? unhandledTexts(isRestarted) : new Map();
  if (isReconnected) {
    sent = 0;
    edits.clear();
    queue.length = 0;
  }
  page = next;
  handled = next.handled;
  showTitle(next.title);
  main.setAttribute("aria-busy", "false");
  if (isOtherScreen || main.firstElementChild.tagName !== "ARTICLE") {
    if (!isReconnected) drafts = new Map();
    if (depth !== undefined) scrolls[depth] = window.scrollY;
    main.innerHTML = next.html;
    window.scrollTo(0, next.depth < depth ? scrolls[next.depth] || 0 : 0);
    if (depth !== undefined) main.querySelector("h1").focus({ preventScroll: true });
  } else {
    keepFocus(() => morph(main.firstElementChild, element(next.html)));
  }
  goingBack = 0;
  followDepth();
  for (const [name, input] of fields()) {
    const text = unsent.get(name);
    if (text === undefined || input.disabled) continue;
    unsent.delete(name);
    if (input.value === text) continue;
    input.value = text;
    edit(input);
  }
  for (const [name, text] of unsent) drafts.set(name, text);
  announce(main);
  speak();
}

// The texts that the server may not have: those that it has not handled, or, after its restart, all that were typed.
function unhandledTexts(isRestarted) {
  const texts = new Map();
  if (isRestarted) for (const [name, text] of drafts) texts.set(name, text);
  for (const [name, input] of fields()) {
    if ((edits.get(input.dataset.control) || 0) > handled) texts.set(name, input.value);
  }
  return texts;
}

// The fields, each with its name: its number among the fields with its label, and the label.
function fields() {
  const counts = new Map();
  return [...main.querySelectorAll("input[data-label]")].map((input) => {
    const number = counts.get(input.dataset.label) || 0;
    counts.set(input.dataset.label, number + 1);
    return [`${number} ${input.dataset.label}`, input];
  });
}

function receiveChange(message) {
  handled = message.handled;
  keepFocus(() => message.changes.forEach(make));
  speak();
  // The server has refused the edits that it has handled and that have changed nothing.
  for (const [control, number] of edits) {
    const input = number <= handled && main.querySelector(`input[data-control="${CSS.escape(control)}"]`);
    if (input) showText(input);
  }
  // The way back has led to no other screen, so the browser, which has gone back, comes forward again.
  if (goingBack && goingBack <= handled) {
    goingBack = 0;
    followDepth();
  }
}

function make(change) {
  if (change.title !== undefined) showTitle(change.title);
  else if (change.row !== undefined) replaceRow(change.row, change.html);
  else if (change.section !== undefined) replaceRows(change);
  else if (change.actions !== undefined) morph(document.getElementById("actions"), element(change.actions));
  else if (change.everything !== undefined) arrange(main.firstElementChild, element(change.everything));
}

// The control that had the focus when it was disabled. Browsers take the focus from it.
let disabled = null;

// Keeps the focus on its control while the page changes, also if that moves, or is disabled for a time. If the control goes, the next
// one gets the focus, or else the heading.
function keepFocus(update) {
  const focused = (document.activeElement === document.body && disabled) || document.activeElement;
  const controls = [...main.querySelectorAll("button, input")];
  const following = controls.slice(controls.indexOf(focused) + 1);
  const isInside = main.contains(focused);
  update();
  disabled = null;
  if (!isInside) return;
  const next = main.contains(focused) ? focused : following.find((each) => main.contains(each) && !each.disabled);
  if (next && next.disabled) disabled = next;
  else if (document.activeElement !== next) (next || main.querySelector("h1")).focus({ preventScroll: true });
}

function showTitle(title) {
  page.title = title;
  document.title = title;
  const heading = main.querySelector("h1");
  if (heading && heading.textContent !== title) heading.textContent = title;
}

function replaceRow(id, html) {
  const row = document.getElementById(id);
  if (row) renew(row, element(html));
}

function renew(row, next) {
  const isNews = next.textContent !== row.textContent;
  morph(row, next);
  if (isNews) announce(row);
}

function replaceRows({ section, from, removed, inserted }) {
  const list = document.getElementById(section);
  const old = new Map([...list.children].slice(from, from + removed).map((row) => [row.id, row]));
  for (const row of old.values()) row.remove();
  const after = list.children[from] || null;
  for (const { html, moved } of inserted) {
    const row = moved === undefined ? element(html) : old.get(moved);
    list.insertBefore(row, after);
    if (moved === undefined) announce(row);
  }
}

function element(html) {
  const template = document.createElement("template");
  template.innerHTML = html;
  return template.content.firstElementChild;
}

// Makes a page, a section or a list like another one. What stays in it is not moved, and nothing becomes something else, so that
// what has the focus keeps it.
function arrange(old, next) {
  if (!["ARTICLE", "SECTION", "UL"].includes(old.tagName)) {
    renew(old, next);
    return;
  }
  takeAttributes(old, next);
  const name = (each) => each.id || (each.tagName === "SECTION" && each.querySelector("ul").id) || each.tagName;
  const known = new Map([...old.children].map((each) => [name(each), each]));
  const children = [...next.children];
  const names = new Set(children.map(name));
  for (const each of [...old.children]) if (!names.has(name(each))) each.remove();
  let there = old.firstElementChild;
  for (const child of children) {
    const here = known.get(name(child)) || child;
    if (here === there) there = there.nextElementSibling;
    else old.insertBefore(here, there);
    if (here === child) announce(child);
    else arrange(here, child);
  }
}

// Makes an element look like another, and keeps the focus, the caret and the text that is being typed.
function morph(old, next) {
  takeAttributes(old, next);
  if (old.tagName === "INPUT") {
    showText(old);
    return;
  }
  const children = [...next.childNodes];
  for (let index = 0; index < children.length; index += 1) {
    const there = old.childNodes[index];
    const child = children[index];
    if (!there) old.append(child);
    else if (there.nodeType === Node.TEXT_NODE && child.nodeType === Node.TEXT_NODE) {
      if (there.data !== child.data) there.data = child.data;
    } else if (there.nodeType === child.nodeType && there.tagName === child.tagName) morph(there, child);
    else there.replaceWith(child);
  }
  while (old.childNodes.length > children.length) old.lastChild.remove();
}

function takeAttributes(old, next) {
  for (const { name } of [...old.attributes]) if (!next.hasAttribute(name)) old.removeAttribute(name);
  for (const { name, value } of next.attributes) {
    if (old.getAttribute(name) !== value) old.setAttribute(name, value);
  }
}

// Shows the server's text in a field, unless the person is ahead of the server.
function showText(input) {
  if (input === composing) return;
  if ((edits.get(input.dataset.control) || 0) > handled) return;
  const text = input.getAttribute("value") || "";
  if (input.value === text) return;
  const fromEnd = input.value.length - input.selectionStart;
  input.value = text;
  if (document.activeElement === input) {
    const caret = Math.max(0, text.length - fromEnd);
    input.setSelectionRange(caret, caret);
  }
}

// What a screen reader is to say about the message that is being received.
const news = [];

function announce(root) {
  const rows = root.matches("[data-announce]") ? [root] : [...root.querySelectorAll("[data-announce]")];
  news.push(...rows.map((row) => row.textContent.trim()));
}

function speak() {
  const text = news.splice(0).join(" ").trim();
  if (text) announcer.textContent = text;
}

// MARK: Sending

// Messages are sent one after the other, in order. Of several edits of one field that wait, the last one is sent.
const queue = [];
let isSending = false;

function send(message) {
  sent += 1;
  const full = { ...message, number: sent, stream: page.stream, screen: page.screen };
  const last = queue[queue.length - 1];
  if (last && message.text !== undefined && last.text !== undefined && last.control === message.control) queue.pop();
  queue.push(full);
  if (!isSending) sendNext();
  return sent;
}

async function sendNext() {
  // The page that comes after a loss tells which messages the server has handled.
  const message = isLost ? undefined : queue.shift();
  if (!message) return;
  isSending = true;
  try {
    const response = await fetch("/browser/actions", {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify(message),
      signal: waiting.signal,
    });
    // The server has dropped this page's stream, because too many tabs have connected since.
    if (response.status === 410) reconnect();
    // Screens that can only be watched are not left, so the browser, which has gone back, comes forward again.
    if (response.status === 403 && message.number === goingBack) {
      goingBack = 0;
      followDepth();
    }
  } catch {
    // The connection is lost, although the other one may last. The next page message tells which messages the server has handled.
    if (!isLost) {
      connection.hidden = false;
      reconnect();
    }
  }
  isSending = false;
  sendNext();
}

function edit(input) {
  const field = fields().find(([, each]) => each === input);
  if (field) drafts.set(field[0], input.value);
  edits.set(input.dataset.control, send({ control: input.dataset.control, text: input.value }));
}

// The field in which a text is being composed, such as a Japanese word or a letter after a dead key. Its text is sent, and
// replaced, only when it is complete.
let composing = null;

main.addEventListener("input", (event) => {
  if (event.target.dataset.control !== undefined && !event.isComposing) edit(event.target);
});
main.addEventListener("compositionstart", (event) => {
  composing = event.target;
});
main.addEventListener("compositionend", (event) => {
  composing = null;
  if (event.target.dataset.control !== undefined) edit(event.target);
});
main.addEventListener("focusout", (event) => {
  if (event.target.tagName === "INPUT") showText(event.target);
});
main.addEventListener("click", (event) => {
  const button = event.target.closest("button[data-control]");
  if (button && !button.disabled) send({ control: button.dataset.control });
});

// MARK: Keys

document.addEventListener("keydown", (event) => {
  if (event.isComposing || event.ctrlKey || event.metaKey || event.defaultPrevented) return;
  const isTyping = event.target.tagName === "INPUT";
  const name = shortcut(event);
  // Enter on a button presses that button, not the one whose key is Enter.
  if (name === "Enter" && event.target.tagName === "BUTTON") return;
  if (isTyping && (event.altKey ? !isLetter(event) : name !== "Enter" && name !== "Escape")) return;
  const button = [...main.querySelectorAll("button[data-key]")].find((each) => each.dataset.key === name);
  if (!button) return moveFocus(event, isTyping);
  // A text that is on its way may enable the button, so the server decides.
  const isAhead = [...edits.values()].some((number) => number > handled);
  if (button.disabled && !isAhead) return;
  event.preventDefault();
  send({ key: name });
});

function shortcut(event) {
  // Option on a Mac makes another sign of a letter, so there the place of the key tells which letter it is.
  if (event.altKey) {
    return "Alt+" + (!isLetter(event) && event.code.startsWith("Key") ? event.code.slice(3) : event.key.toUpperCase());
  }
  return event.key === " " ? "Space" : event.key;
}

function isLetter(event) {
  return /^[a-z]$/i.test(event.key);
}

// The arrow keys go from one choice to the next.
function moveFocus(event, isTyping) {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (!step || isTyping) return;
  const choices = [...main.querySelectorAll(".choice button:enabled")];
  const place = choices.indexOf(document.activeElement);
  const next = place < 0 ? choices[step > 0 ? 0 : choices.length - 1] : choices[place + step];
  if (!next) return;
  event.preventDefault();
  next.focus();
}

// MARK: The back button

// The browser's history has one entry for each screen of the stack. Where a screen was scrolled to is kept here, as the browser
// knows only one page.
history.scrollRestoration = "manual";
// The browser goes back later than it is told to. Until then its history is left alone, so that it never goes back too far and
// leaves the page.
let isFollowing = false;

function followDepth() {
  if (isFollowing) return;
  const depth = Math.max(1, page.depth);
  if (!history.state) history.replaceState({ depth: 1 }, "");
  while (history.state.depth < depth) history.pushState({ depth: history.state.depth + 1 }, "");
  if (history.state.depth > depth) {
    isFollowing = true;
    history.go(depth - history.state.depth);
  }
}

window.addEventListener("popstate", (event) => {
  if (!isFollowing && event.state && event.state.depth < page.depth) {
    goingBack = send({});
    return;
  }
  // A screen that was left does not come again: the browser goes back to the one that is shown.
  isFollowing = false;
  followDepth();
});

listen("/browser/events", { page: receivePage, change: receiveChange });
