// The script that counts a website. It runs in the pages of others: it sends page views, how long they were visible,
// and events to the server that it came from, breaks nothing, and keeps nothing in the browser (no cookie, no storage,
// no fingerprint) but one flag, where a person asks for it. The browser's HTTP cache knows whether a visitor is new.
// Names in capitals are features, true or false when the script is built. Every byte is sent to every visitor: shorter
// ways to write the same were measured, and are not always smaller when compressed.
const base = new URL("event/", document.currentScript.src);
// The letters are those of the hit and of the ping.
const t = Intl.DateTimeFormat().resolvedOptions().timeZone;

// The beacon of the page view; unset while nothing may be counted.
let beacon;
let path;
// The milliseconds for which the page view was visible until `visibleSince`, which is falsy while it is hidden.
let visibleMs;
let visibleSince;
// Sends the load if it was not sent yet.
let sendLoad;

// A person opens a page with #footfall-ignore to be counted no more in this browser, with #footfall-count to be counted
// again, and with #footfall-debug to see the server's answers. With each of them the console says what is so.
const mode = location.hash.split("#footfall-")[1];
const say = (text) => mode && console.info("footfall:", text);
let ignored;
// A page that may not store anything may not even ask for it.
try {
  if (mode == "ignore") localStorage.footfall = mode;
  if (mode == "count") delete localStorage.footfall;
  ignored = localStorage.footfall == "ignore";
} catch {}
say(ignored ? "ignored" : "not ignored");

// Resolves to whether the answer is "0"; to nothing if the request was blocked or failed.
const ask = async (url, init) => {
  try {
    const answer = await (await fetch(url, init)).text();
    init && say(answer);
    return answer == "0";
  } catch {}
};
// A text needs no preflight, which would not finish when the page ends. A beacon has no answer that could be shown.
const send = (hit, body = JSON.stringify(hit)) =>
  (!mode && navigator.sendBeacon?.(base + "hit", body)) ||
  ask(base + "hit", { method: "POST", body, keepalive: true });

// The server keeps the longest time of a page view, which is the last one.
const tick = () => {
  visibleSince && send({ b: beacon, m: (visibleMs += performance.now() - visibleSince) | 0 });
  visibleSince = document.hidden ? 0 : performance.now();
};

// Asks whether the browser is new today, to the website or to a page of it.
const ping = (page) => ask(base + "ping?" + new URLSearchParams({ u: location.hostname + page, t }));
// A fragment is part of the page only if a router uses it as a path. Other fragments may be secret, and are not sent.
const urlNow = () => location.href.replace(HASH_ROUTES ? /#(?!!?\/).*/ : /#.*/, "");

// Counts a page view if the path is another or the browser restores the page. `website` is its ping. Only a page load
// has one and a referrer: whoever continues within the page is not new.
const open = async (event, website, r) => {
  if (
    path != (path = HASH_ROUTES ? location.pathname + /#[^?]*|$/.exec(urlNow()) : location.pathname) ||
    event?.persisted
  ) {
    tick();
    visibleMs = 0;
    let sent;
    const b = (beacon = "" + Math.random());
    const u = urlNow();
    const page = ping(path);
    // Without an answer nobody is called new, neither to the website nor to the page: the view is counted, but a
    // visitor is not made up.
    sendLoad = (p, newToPage) => {
      const load = { b, u, p, q: !newToPage, r, t };
      if (PAGE_EVENTS) load.d = newPageEvents();
      sent ||= send(load);
    };
    sendLoad(await website, await page);
  }
};

// Sends an event if there is at least one property.
const track = (d) => {
  for (const name in d) return send({ b: beacon, u: urlNow(), d, t });
};

// Reads the properties from an attribute: `name=value;other`. Without a value a property is true.
const read = (d, attribute) =>
  attribute?.replace(/([^=;\s]+)=?([^;]*)/g, (_, name, value) => (d[name] = value || true));

const counted = new WeakSet();
// Returns the properties of the elements that were not counted yet.
const newPageEvents = (d = {}) => {
  for (const element of document.querySelectorAll("[data-footfall-load]"))
    counted.has(element) || read(d, element.dataset?.footfallLoad, counted.add(element));
  return d;
};

const clicked = ({ target, button }, d = {}, link = target.closest?.("a")) => {
  if (CLICK_EVENTS) read(d, target.closest?.("[data-footfall-click]")?.dataset?.footfallClick);
  if (OUTBOUND_LINKS && link?.host && link.host != location.host) d.outbound_link = link.href;
  if (
    FILE_DOWNLOADS &&
    /\.(7z|csv|dmg|docx?|epub|exe|gz|iso|mp[34]|pdf|pptx?|rar|txt|xlsx?|zip)$/i.test(link?.pathname)
  )
    d.file_download = link.href;
  // The right button follows no link.
  button < 2 && track(d);
};

const start = () => {
  open(0, ping(""), document.referrer);
  const watch = (name, original = history[name]) =>
    (history[name] = (...args) => {
      open(original.apply(history, args));
    });
  watch("pushState");
  watch("replaceState");
  addEventListener("popstate", open);
  if (HASH_ROUTES) addEventListener("hashchange", open);
  addEventListener("pagehide", () => {
    sendLoad();
    // `tick` returns nothing, so the time ends here, though the page may not be hidden yet.
    visibleSince = tick();
  });
  addEventListener("pageshow", open);
  addEventListener("visibilitychange", tick);
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

// Does not use `track`, which only the features need.
self.footfall = (name, properties) =>
  beacon && send({ b: beacon, u: urlNow(), d: { [name]: true, ...properties }, t });

ignored ||
  navigator.webdriver ||
  ("dnt" in document.currentScript.dataset && navigator.doNotTrack | navigator.globalPrivacyControl) ||
  (document.prerendering ? document.addEventListener("prerenderingchange", start) : start());
