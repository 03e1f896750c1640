// Receives the server-sent events of a page, and connects again when nothing is heard any more: a network that vanishes, or a
// machine that is switched off, closes no connection.
"use strict";

const connection = document.getElementById("connection");
// The server says something at least three times in this time, in milliseconds.
const silence = Number(document.body.dataset.silence);

let events = null;
// The address of the events, and what is done when they begin, and with the messages by their names.
let source = {};
// The time after which the connection is lost if nothing is heard. It grows with each loss: a large message on a slow network is
// heard only when it is whole.
let patience = silence;
let alarm = null;
// True from the loss of a connection to the first message of another one. A request that is made meanwhile may get no answer.
let isLost = false;
// Aborted when the connection is lost, and with it the requests that wait for an answer.
let waiting = new AbortController();

function listen(address, messages, begin = () => {}) {
  source = { address, messages, begin };
  connect();
}

function connect() {
  if (events || document.hidden) return;
  events = new EventSource(source.address);
  events.addEventListener("open", () => {
    connection.hidden = true;
    watch();
    source.begin();
  });
  events.addEventListener("beat", hear);
  for (const [name, receive] of Object.entries(source.messages)) {
    events.addEventListener(name, (event) => {
      hear();
      receive(JSON.parse(event.data));
    });
  }
  events.addEventListener("error", () => {
    connection.hidden = false;
    watch();
    // The browser connects again by itself unless the server has answered with an error.
    if (events && events.readyState === EventSource.CLOSED) {
      events = null;
      setTimeout(connect, 1000);
    }
  });
  watch();
}

function disconnect() {
  clearTimeout(alarm);
  if (events) events.close();
  events = null;
}

function reconnect() {
  disconnect();
  connect();
}

function hear() {
  isLost = false;
  patience = silence;
  watch();
}

function watch() {
  clearTimeout(alarm);
  alarm = setTimeout(lose, patience);
}

function lose() {
  isLost = true;
  connection.hidden = false;
  patience = Math.min(2 * patience, 8 * silence);
  waiting.abort();
  waiting = new AbortController();
  reconnect();
}

// A browser opens six connections to a server. Hidden tabs hold none, so that they never keep others from working.
document.addEventListener("visibilitychange", () => {
  if (document.hidden) disconnect();
  else connect();
});
