/**
 * A tracker that does what Medama's does (0.6, `tracker/src/tracker.js`, with its click and page events): it asks whether the
 * browser and the page are new, by XHR and in this order; says `q` of a first visit; sends a hit for a load, a beacon when
 * the page is hidden or left, and events of `data-m:click`; and wraps the History API. It stands in for Medama's own script,
 * which the variable FOOTFALL_MEDAMA may name: `tracker/dist/click-events.page-events.min.js` of its repository.
 */
import { readFileSync } from "node:fs";

const own = process.env["FOOTFALL_MEDAMA"];

const standIn = `{
  const element = document.currentScript;
  const api = element.dataset.api ? location.protocol + "//" + element.dataset.api + "/" : new URL("api/", element.src).href;
  let beacon, startMs, isLeft;
  let isNew = true;
  const begin = () => {
    beacon = Math.random().toString(36).slice(2);
    startMs = Date.now();
    isLeft = false;
  };
  const propertiesOf = (target, kind) =>
    Object.fromEntries(
      (target.getAttribute("data-m:" + kind) ?? "")
        .split(";")
        .filter((pair) => pair.includes("="))
        .map((pair) => pair.split("=").map((text) => text.trim())),
    );
  const isFirst = (query) =>
    new Promise((resolve) => {
      const request = new XMLHttpRequest();
      request.onload = () => resolve(request.responseText === "0");
      request.open("GET", api + "event/ping" + query);
      request.setRequestHeader("Content-Type", "text/plain");
      request.send();
    });
  const hit = (fields) =>
    fetch(api + "event/hit", { method: "POST", mode: "no-cors", body: JSON.stringify({ b: beacon, ...fields }) });
  const load = async () => {
    const q = await isFirst("?u=" + encodeURIComponent(location.host + location.pathname));
    const marked = Array.from(document.querySelectorAll("[data-m\\\\:load]"), (target) => propertiesOf(target, "load"));
    const t = Intl.DateTimeFormat().resolvedOptions().timeZone;
    hit({ e: "load", u: location.href, r: document.referrer, p: isNew, q, t, d: Object.assign({}, ...marked) });
  };
  const leave = () => {
    if (!isLeft) navigator.sendBeacon(api + "event/hit", JSON.stringify({ b: beacon, e: "unload", m: Date.now() - startMs }));
    isLeft = true;
  };
  const turn = (move) => {
    leave();
    begin();
    isNew = false;
    move();
    load();
  };
  const click = ({ button, target }) => {
    const d = propertiesOf(target, "click");
    if (button < 2 && Object.keys(d).length > 0) hit({ e: "custom", g: location.hostname, d });
  };
  for (const target of document.querySelectorAll("[data-m\\\\:click]"))
    for (const kind of ["click", "auxclick"]) target.addEventListener(kind, click);
  addEventListener("pagehide", leave);
  addEventListener("visibilitychange", () => document.hidden && leave());
  begin();
  isFirst("").then((answer) => {
    isNew = answer;
    load();
    for (const name of ["pushState", "replaceState"]) {
      const original = history[name];
      history[name] = (...args) => {
        const isOther = args[2] && new URL(args[2], location.href).pathname !== location.pathname;
        const move = () => original.apply(history, args);
        if (isOther) turn(move);
        else move();
      };
    }
    addEventListener("popstate", () => turn(() => {}));
  });
}`;

export const medamaTracker = own === undefined ? standIn : readFileSync(own, "utf8");
