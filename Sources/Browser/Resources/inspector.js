// The inspector: receives the moments of a session's loops as server-sent events, and shows them as a timeline and as a list.
"use strict";

const [INITIAL, REDUCED, WITHDRAWN, STARTED, ENDED] = [0, 1, 2, 3, 4];
const ROW = 24;
const LANE = 22;
const byId = (id) => document.getElementById(id);
const list = byId("list");
const rows = byId("rows");
const lanes = byId("lanes");
const canvas = byId("marbles");
const live = byId("live");

// The models by their numbers.
const models = new Map();
// The moments that the server keeps: { number, time, model, kind, text, source, end }, in order; the times are in milliseconds.
let moments = [];
// Those that pass the filter.
let shown = [];
// The bars of effects: { lane, start, end, how, moment, last }; `last` is the number of the moment at which the effect ended.
let bars = [];
const running = new Map();
// The lanes of the timeline: a source of a model, in the order in which they appear. Their labels and places.
const laneOf = new Map();
let laneCount = 0;
let selected = null;
let isLive = true;
let filter = "";
// Milliseconds that a pixel stands for; without a value all moments fit.
let scale = null;

// MARK: Receiving

// The number of the step that was selected before the connection came again.
let kept = null;

// A new connection sends all moments again.
function begin() {
  kept = !isLive && selected ? selected.number : null;
  selected = null;
  models.clear();
  moments = [];
  shown = [];
  bars = [];
  running.clear();
  laneOf.clear();
}

function receive(message) {
  for (const model of message.models) models.set(model.number, model);
  if (message.kept) forget(message.dropped, new Set(message.kept));
  message.moments.forEach(([time, model, kind, text, source, end], index) => {
    const moment = { number: message.from + index, time: time / 1000, model, kind, text, source, end };
    moments.push(moment);
    if (matches(moment)) shown.push(moment);
    note(moment);
  });
  rows.style.height = `${shown.length * ROW}px`;
  const last = kept === null ? undefined : moments.find((moment) => moment.number === kept);
  if (last) {
    kept = null;
    select(last, true);
  }
  if (isLive && moments.length > 0) select(lastEvent(), false);
  byId("count").textContent = `${shown.length} of ${moments.length} steps`;
  draw();
}

// Forgets what the server does not keep either: the moments before a number, and the models that are gone.
function forget(number, kept) {
  const isKept = (moment) => moment.number >= number;
  const before = shown.length;
  moments = moments.filter(isKept);
  shown = shown.filter(isKept);
  // What the person looks at stays where it is.
  list.scrollTop -= (before - shown.length) * ROW;
  for (const model of [...models.keys()]) if (!kept.has(model)) models.delete(model);
  bars = bars.filter((bar) => models.has(bar.lane.model) && (bar.end === null || bar.last >= number));
  for (const [key, lane] of [...laneOf]) if (!models.has(lane.model)) laneOf.delete(key);
  for (const [key, bar] of [...running]) if (!models.has(bar.lane.model)) running.delete(key);
}

function note(moment) {
  const key = `${moment.model}/${moment.source}`;
  const lane = moment.source.replace(/ #\d+$/, "");
  const laneKey = `${moment.model}/${lane}`;
  if (moment.kind !== INITIAL && !laneOf.has(laneKey)) {
    laneOf.set(laneKey, { place: laneCount, label: lane, model: moment.model });
    laneCount += 1;
  }
  moment.lane = laneOf.get(laneKey);
  if (moment.kind === STARTED) {
    const bar = { lane: moment.lane, start: moment.time, end: null, how: "", moment };
    running.set(key, bar);
    bars.push(bar);
  } else if (moment.kind === ENDED && running.has(key)) {
    const bar = running.get(key);
    bar.end = moment.time;
    bar.how = moment.end;
    bar.last = moment.number;
    moment.bar = bar;
    running.delete(key);
  }
}

function lastEvent() {
  for (let index = moments.length - 1; index >= 0; index -= 1) {
    if (moments[index].kind <= REDUCED) return moments[index];
  }
  return moments[moments.length - 1];
}

function matches(moment) {
  if (!filter) return true;
  return `${models.get(moment.model).name} ${title(moment)} ${moment.source}`.toLowerCase().includes(filter);
}

function title(moment) {
  switch (moment.kind) {
    case INITIAL: return `${models.get(moment.model).name} begins`;
    case STARTED: return `${moment.source} starts`;
    case ENDED: return `${moment.source} is ${moment.end}`;
    default: return moment.text;
  }
}

// MARK: Drawing

let isDrawing = false;

function draw() {
  if (isDrawing) return;
  isDrawing = true;
  requestAnimationFrame(() => {
    isDrawing = false;
    drawList();
    drawTimeline();
  });
}

// Only the rows that can be seen are in the document.
function drawList() {
  rows.style.height = `${shown.length * ROW}px`;
  const first = Math.max(0, Math.floor(list.scrollTop / ROW) - 5);
  const last = Math.min(shown.length, first + Math.ceil(list.clientHeight / ROW) + 10);
  const next = [];
  for (let index = first; index < last; index += 1) next.push(row(shown[index], index));
  rows.replaceChildren(...next);
}

function row(moment, index) {
  const element = document.createElement("div");
  element.className = "step";
  if (moment.kind === WITHDRAWN) element.classList.add("withdrawn");
  if (moment.kind >= STARTED || moment.kind === INITIAL) element.classList.add("effect");
  element.id = `step-${moment.number}`;
  element.setAttribute("role", "option");
  element.setAttribute("aria-selected", String(moment === selected));
  element.style.top = `${index * ROW}px`;
  element.append(span("time", `${moment.time.toFixed(1)} ms`), span("what", title(moment)));
  element.append(span("from", moment.kind <= WITHDRAWN && moment.kind !== INITIAL ? moment.source : ""));
  element.title = models.get(moment.model).name;
  element.addEventListener("click", () => choose(moment));
  return element;
}

function span(name, text) {
  const element = document.createElement("span");
  element.className = name;
  element.textContent = text;
  return element;
}

// The room for the names of the lanes.
function margin() {
  return Math.min(190, Math.round(lanes.clientWidth / 3));
}

function wholeTime() {
  return moments.length === 0 ? 1 : Math.max(1, moments[moments.length - 1].time);
}

function pixel(time) {
  return time / currentScale();
}

function currentScale() {
  return scale || wholeTime() / Math.max(100, lanes.clientWidth - margin() - 40);
}

// The colours of effects by their ends; those that run have none.
const BARS = { "": "accent", completed: "success", answered: "success", cancelled: "error", replaced: "warning" };

function drawTimeline() {
  const width = lanes.clientWidth;
  const height = lanes.clientHeight;
  const left = margin();
  const ratio = window.devicePixelRatio || 1;
  if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
    canvas.width = Math.round(width * ratio);
    canvas.height = Math.round(height * ratio);
    canvas.style.width = `${width}px`;
    canvas.style.height = `${height}px`;
  }
  const places = lanePlaces();
  byId("extent").style.width = `${Math.floor(left + pixel(wholeTime()) + 36)}px`;
  byId("extent").style.height = `${places.height}px`;
  const style = getComputedStyle(document.documentElement);
  const colour = (name) => style.getPropertyValue(`--${name}`).trim();
  const context = canvas.getContext("2d");
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.clearRect(0, 0, width, height);
  context.font = "12px system-ui, sans-serif";
  context.textBaseline = "middle";
  const top = lanes.scrollTop;
  const x = (time) => left + pixel(time) - lanes.scrollLeft;
  const y = (lane) => places.of.get(lane) - top;
  const now = wholeTime();

  for (const bar of bars) {
    const [start, end] = [x(bar.start), x(bar.end === null ? now : bar.end)];
    if (end < left || start > width) continue;
    context.fillStyle = colour(BARS[bar.how]);
    context.globalAlpha = 0.35;
    context.fillRect(start, y(bar.lane) - 5, Math.max(2, end - start), 10);
    context.globalAlpha = 1;
    // A mark where the work was given up.
    if (bar.how === "cancelled" || bar.how === "replaced") context.fillRect(end - 1, y(bar.lane) - 7, 2, 14);
  }
  // Binary search for the first moment that can be seen.
  let first = 0;
  let last = moments.length;
  while (first < last) {
    const middle = (first + last) >> 1;
    if (x(moments[middle].time) < left - 8) first = middle + 1;
    else last = middle;
  }
  const drawn = new Set();
  for (let index = first; index < moments.length; index += 1) {
    const moment = moments[index];
    const place = x(moment.time);
    if (place > width + 8) break;
    if (!moment.lane || moment.kind > WITHDRAWN || !matches(moment)) continue;
    // Of marbles on the same pixel one is drawn.
    const key = `${Math.round(place)} ${moment.lane.place}`;
    if (drawn.has(key) && moment !== selected) continue;
    drawn.add(key);
    marble(context, place, y(moment.lane), moment, colour);
  }
  drawLabels(context, places, height, top, colour);
}

function marble(context, x, y, moment, colour) {
  context.beginPath();
  context.arc(x, y, moment === selected ? 7 : 5, 0, 2 * Math.PI);
  context.fillStyle = moment.source === "sent" ? colour("accent") : colour("ink");
  if (moment.kind === WITHDRAWN) {
    context.strokeStyle = colour("error");
    context.lineWidth = 1.5;
    context.stroke();
    context.beginPath();
    context.moveTo(x - 7, y + 7);
    context.lineTo(x + 7, y - 7);
    context.stroke();
    return;
  }
  context.fill();
  if (moment === selected) {
    context.strokeStyle = colour("warning");
    context.lineWidth = 3;
    context.stroke();
  }
}

// The place of each lane: the lanes of a model are together, below its name.
function lanePlaces() {
  const of = new Map();
  const names = [];
  let y = 4;
  models.forEach((model, number) => {
    names.push({ text: model.name, y: y + LANE / 2, isModel: true });
    y += LANE;
    for (const lane of laneOf.values()) {
      if (lane.model !== number) continue;
      of.set(lane, y + LANE / 2);
      names.push({ text: lane.label, y: y + LANE / 2, isModel: false });
      y += LANE;
    }
  });
  return { of, names, height: y + 4 };
}

function drawLabels(context, places, height, top, colour) {
  context.fillStyle = colour("ground");
  const width = margin();
  context.fillRect(0, 0, width - 8, height);
  for (const { text, y, isModel } of places.names) {
    context.fillStyle = colour(isModel ? "ink" : "faint");
    context.font = `${isModel ? 600 : 400} 12px system-ui, sans-serif`;
    context.fillText(fitted(context, text, width - (isModel ? 20 : 32)), isModel ? 8 : 20, y - top);
  }
}

// The text, or as much of its beginning as there is room for.
function fitted(context, text, width) {
  const isFitting = (part) => context.measureText(part).width <= width;
  if (isFitting(text)) return text;
  let count = text.length - 1;
  while (count > 1 && !isFitting(`${text.slice(0, count)}…`)) count -= 1;
  return `${text.slice(0, count)}…`;
}

// MARK: Choosing

// The person has chosen a step: the list and the screen stay there until "Live" is pressed.
function choose(moment) {
  setLive(false);
  select(moment, true);
}

function setLive(next) {
  isLive = next;
  live.setAttribute("aria-pressed", String(next));
  if (next && moments.length > 0) select(lastEvent(), false);
  draw();
}

let loading = null;

function select(moment, isScrolled) {
  selected = moment;
  reveal(isScrolled);
  showFacts(moment);
  draw();
  load();
}

// Scrolls the list to the selected step; if `isScrolled` is true, only if the step cannot be seen.
function reveal(isScrolled) {
  const index = shown.indexOf(selected);
  if (index < 0) return;
  const top = index * ROW;
  if (!isScrolled || top < list.scrollTop || top + ROW > list.scrollTop + list.clientHeight) {
    list.scrollTop = top - list.clientHeight / 2;
  }
  list.setAttribute("aria-activedescendant", `step-${selected.number}`);
}

// Loads the last step that was selected, with one request at a time.
async function load() {
  if (loading) return;
  while (selected && loading !== selected) {
    loading = selected;
    try {
      const response = await fetch(`/inspector/moments/${loading.number}`, { signal: waiting.signal });
      if (response.ok) showState(loading, await response.json());
      else if (response.status === 404) showForgotten(loading);
    } catch {
      // The connection is lost; the stream comes back by itself.
    }
  }
  loading = null;
}

function showFacts(moment) {
  byId("what").textContent = title(moment);
  const facts = [["Loop", models.get(moment.model).name], ["Time", `${moment.time.toFixed(3)} ms`]];
  if (moment.kind === REDUCED || moment.kind === WITHDRAWN) {
    facts.push([moment.kind === WITHDRAWN ? "Withdrawn, from" : "From", moment.source]);
    const bar = bars.find((each) => each.lane === moment.lane && each.moment.source === moment.source);
    if (bar) facts.push(["Since its start", `${(moment.time - bar.start).toFixed(3)} ms`]);
  }
  if (moment.bar) facts.push(["Duration", `${(moment.bar.end - moment.bar.start).toFixed(3)} ms`]);
  const started = [];
  for (let number = moments.indexOf(moment) + 1; number < moments.length; number += 1) {
    const next = moments[number];
    if (next.model !== moment.model) continue;
    if (next.kind < STARTED) break;
    started.push(title(next));
  }
  if (moment.kind <= REDUCED && started.length > 0) facts.push(["Then", started.join(", ")]);
  byId("facts").replaceChildren(...facts.flatMap(([name, value]) => {
    const [term, description] = [document.createElement("dt"), document.createElement("dd")];
    term.textContent = name;
    description.textContent = value;
    return [term, description];
  }));
}

function showState(moment, detail) {
  if (moment !== selected) return;
  if (detail.event) byId("what").textContent = detail.event;
  byId("state").replaceChildren(node(detail.state, true));
  const screen = byId("screen");
  if (detail.screen) screen.innerHTML = detail.screen;
  else screen.textContent = "There is no screen.";
}

// The server keeps a limited number of steps.
function showForgotten(moment) {
  if (moment !== selected) return;
  const item = document.createElement("li");
  item.textContent = "The state of this step is no longer kept.";
  byId("state").replaceChildren(item);
  byId("screen").textContent = "The screen of this step is no longer kept.";
}

// A part of the state; parts that have changed are open.
function node(part, isOpen) {
  const item = document.createElement("li");
  if (part.k) item.className = part.k;
  const head = [span("label", part.l ? `${part.l}: ` : ""), value(part)];
  if (!part.c) {
    item.append(...head);
    return item;
  }
  const details = document.createElement("details");
  const summary = document.createElement("summary");
  summary.append(...head);
  details.append(summary);
  // The parts are made when the node is opened.
  const fill = () => {
    if (details.childElementCount > 1) return;
    const parts = document.createElement("ul");
    parts.append(...part.c.map((child) => node(child, false)));
    details.append(parts);
  };
  details.addEventListener("toggle", () => { if (details.open) fill(); });
  if (isOpen || part.k === "changed") {
    fill();
    details.open = true;
  }
  item.append(details);
  return item;
}

function value(part) {
  const element = document.createElement("span");
  element.className = "value";
  if (part.b !== undefined && part.a !== undefined) {
    const [before, after] = [document.createElement("del"), document.createElement("ins")];
    before.textContent = part.b;
    after.textContent = part.a;
    element.append(before, " → ", after);
  } else {
    element.textContent = part.a === undefined ? part.b : part.a;
  }
  return element;
}

// MARK: Acting

live.addEventListener("click", () => setLive(!isLive));
list.addEventListener("scroll", draw);
lanes.addEventListener("scroll", draw);
window.addEventListener("resize", () => {
  reveal(!isLive);
  draw();
});
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw);

byId("filter").addEventListener("input", (event) => {
  filter = event.target.value.trim().toLowerCase();
  shown = moments.filter(matches);
  byId("count").textContent = `${shown.length} of ${moments.length} steps`;
  draw();
});

list.addEventListener("keydown", (event) => {
  const step = { ArrowDown: 1, ArrowUp: -1, PageDown: 20, PageUp: -20, Home: -Infinity, End: Infinity }[event.key];
  if (!step || shown.length === 0) return;
  event.preventDefault();
  const index = Math.min(shown.length - 1, Math.max(0, shown.indexOf(selected) + step));
  choose(shown[index]);
});

canvas.addEventListener("click", (event) => {
  const places = lanePlaces();
  const box = canvas.getBoundingClientRect();
  const [x, y] = [event.clientX - box.left, event.clientY - box.top];
  let nearest = null;
  let distance = 14;
  for (const moment of moments) {
    if (!moment.lane || moment.kind > WITHDRAWN) continue;
    const there = Math.hypot(
      margin() + pixel(moment.time) - lanes.scrollLeft - x, places.of.get(moment.lane) - lanes.scrollTop - y);
    if (there < distance) [nearest, distance] = [moment, there];
  }
  if (nearest) choose(nearest);
});

function zoom(factor) {
  const middle = (lanes.scrollLeft + lanes.clientWidth / 2 - margin()) * currentScale();
  scale = currentScale() * factor;
  drawTimeline();
  lanes.scrollLeft = middle / scale + margin() - lanes.clientWidth / 2;
  draw();
}

byId("closer").addEventListener("click", () => zoom(0.5));
byId("farther").addEventListener("click", () => zoom(2));
byId("whole").addEventListener("click", () => {
  scale = null;
  draw();
});

listen("/inspector/events", { moments: receive }, begin);
