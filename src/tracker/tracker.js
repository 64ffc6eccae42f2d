// The script that counts a website. It runs in the pages of others: sends page views, how long they were
// visible, and events to the server that it came from, breaks nothing, and keeps nothing in the browser (no
// cookie, no storage, no fingerprint): whether a visitor is new, the browser's HTTP cache knows. Names in
// capitals are features, true or false when it is built. Every byte is sent to every visitor.
const script = document.currentScript;
const base = new URL("event/", script.src);
// The letters are those of the hit and of the ping.
const h = location.hostname;
const t = Intl.DateTimeFormat().resolvedOptions().timeZone;

// The beacon of the page view; none while nothing may be counted.
let beacon;
let path;
// Milliseconds that the page view was visible until `visibleSince`, which is falsy while it is hidden.
let visibleMs;
let visibleSince;
// Sends the load if it was not sent yet.
let sendLoad;

// A fragment is part of the page only where a router uses it as a path. Others may be secret, and stay.
const urlNow = () => location.href.replace(HASH_ROUTES ? /#(?!!?\/).*/ : /#.*/, "");
const pathNow = HASH_ROUTES
  ? () => location.pathname + (/^#!?\/[^?]*/.exec(location.hash) ?? "")
  : () => location.pathname;

// Resolves with nothing when it was blocked or failed.
const ask = (what, init) =>
  fetch(base + what, init)
    .then((answer) => answer.text())
    .catch(() => {});
// "0" for a browser that is new today, "1" for one that is not.
const ping = (query) => ask("ping?" + new URLSearchParams(query));
// A text needs no preflight, which the end of a page would not outlive.
const send = (hit, body = JSON.stringify(hit)) =>
  navigator.sendBeacon?.(base + "hit", body) || ask("hit", { method: "POST", body, keepalive: true });

// Of the times of a page view the longest counts, the last one.
const tick = () => {
  if (visibleSince) send({ b: beacon, m: (visibleMs += performance.now() - visibleSince) | 0 });
  visibleSince = !document.hidden && performance.now();
};

// `website` is its ping. A page load asks it once: whoever goes on in it is not new.
const open = (r, website) => {
  tick();
  visibleMs = 0;
  path = pathNow();
  const b = (beacon = "" + Math.random());
  const u = urlNow();
  let sent;
  // Without an answer nobody is called new, neither to the website nor to the page: the view is counted, but
  // a visitor is not made up.
  sendLoad = ([forWebsite, forPage] = []) => {
    const load = { b, u, r, t, p: forWebsite == "0", q: forPage != "0" };
    if (PAGE_EVENTS) load.d = newPageEvents();
    sent ||= send(load);
  };
  Promise.all([website, ping({ t, u: h + path })]).then(sendLoad);
};
const navigated = () => path != pathNow() && open();

// Of no property there is no event.
const track = (d) => {
  for (const name in d) return send({ b: beacon, u: urlNow(), t, d });
};

// What an attribute says: `name=value;other`. Without a value it is true.
const read = (element, attribute, d) =>
  element
    ?.getAttribute(attribute)
    .replace(/([^=;\s]+)=?([^;]*)/g, (_, name, value) => (d[name] = value || true));

const counted = new WeakSet();
// Of the elements that were not there before.
const newPageEvents = () => {
  const d = {};
  for (const element of document.querySelectorAll("[data-footfall-load]"))
    if (!counted.has(element)) {
      counted.add(element);
      read(element, "data-footfall-load", d);
    }
  return d;
};

const clicked = ({ target, button }) => {
  const d = {};
  const link = target.closest?.("a");
  if (CLICK_EVENTS) read(target.closest?.("[data-footfall-click]"), "data-footfall-click", d);
  if (OUTBOUND_LINKS && link?.host && link.host != location.host) d.outbound_link = link.href;
  if (
    FILE_DOWNLOADS &&
    /\.(7z|csv|dmg|docx?|epub|exe|gz|iso|mp[34]|pdf|pptx?|rar|txt|xlsx?|zip)$/i.test(link?.pathname)
  )
    d.file_download = link.href;
  // The right button follows no link.
  if (button < 2) track(d);
};

const start = () => {
  open(document.referrer, ping({ t, h }));
  for (const name of ["pushState", "replaceState"]) {
    const original = history[name];
    history[name] = (...args) => {
      original.apply(history, args);
      navigated();
    };
  }
  addEventListener("popstate", navigated);
  if (HASH_ROUTES) addEventListener("hashchange", navigated);
  addEventListener("visibilitychange", tick);
  addEventListener("pagehide", () => {
    sendLoad();
    tick();
    visibleSince = 0;
  });
  addEventListener("pageshow", (event) => event.persisted && open());
  if (CLICK_EVENTS || OUTBOUND_LINKS || FILE_DOWNLOADS) {
    addEventListener("click", clicked, true);
    addEventListener("auxclick", clicked, true);
  }
  if (PAGE_EVENTS)
    new MutationObserver(() => track(newPageEvents())).observe(document, {
      childList: true,
      subtree: true,
    });
};

// Not by `track`, which only the features need.
self.footfall = (name, properties) =>
  beacon && send({ b: beacon, u: urlNow(), t, d: { [name]: true, ...properties } });

navigator.webdriver ||
  ("dnt" in script.dataset && (navigator.doNotTrack == 1 || navigator.globalPrivacyControl)) ||
  (document.prerendering ? document.addEventListener("prerenderingchange", start) : start());
