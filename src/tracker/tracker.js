// The script that counts a website. It runs in the pages of others: sends page views, how long they were
// visible, and events to the server that it came from, breaks nothing, and keeps nothing in the browser (no
// cookie, no storage, no fingerprint): whether a visitor is new, the browser's HTTP cache knows. Names in
// capitals are features, true or false when it is built. Every byte is sent to every visitor: what says
// the same in fewer letters was measured, and is not always smaller when it is compressed.
const base = new URL("event/", document.currentScript.src);
// The letters are those of the hit and of the ping.
const t = Intl.DateTimeFormat().resolvedOptions().timeZone;

// The beacon of the page view; none while nothing may be counted.
let beacon;
let path;
// Milliseconds that the page view was visible until `visibleSince`, which is falsy while it is hidden.
let visibleMs;
let visibleSince;
// Sends the load if it was not sent yet.
let sendLoad;

// Whether the answer is "0"; nothing when it was blocked or failed.
const ask = async (url, init) => {
  try {
    return (await (await fetch(url, init)).text()) == "0";
  } catch {}
};
// A text needs no preflight, which the end of a page would not outlive.
const send = (hit, body = JSON.stringify(hit)) =>
  navigator.sendBeacon?.(base + "hit", body) || ask(base + "hit", { method: "POST", body, keepalive: true });

// Of the times of a page view the longest counts, the last one.
const tick = () => {
  visibleSince && send({ b: beacon, m: (visibleMs += performance.now() - visibleSince) | 0 });
  visibleSince = document.hidden ? 0 : performance.now();
};

// Whether the browser is new today, to the website or to a page of it.
const ping = (page) => ask(base + "ping?" + new URLSearchParams({ u: location.hostname + page, t }));
// A fragment is part of the page only where a router uses it as a path. Others may be secret, and stay.
const urlNow = () => location.href.replace(HASH_ROUTES ? /#(?!!?\/).*/ : /#.*/, "");

// A page view, if the path is another or the browser restores the page. `website` is its ping: only a page load
// has one and a referrer, whoever goes on in it is not new.
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
    // Without an answer nobody is called new, neither to the website nor to the page: the view is counted, but
    // a visitor is not made up.
    sendLoad = (p, newToPage) => {
      const load = { b, u, p, q: !newToPage, r, t };
      if (PAGE_EVENTS) load.d = newPageEvents();
      sent ||= send(load);
    };
    sendLoad(await website, await page);
  }
};

// Of no property there is no event.
const track = (d) => {
  for (const name in d) return send({ b: beacon, u: urlNow(), d, t });
};

// What an attribute says: `name=value;other`. Without a value it is true.
const read = (d, attribute) =>
  attribute?.replace(/([^=;\s]+)=?([^;]*)/g, (_, name, value) => (d[name] = value || true));

const counted = new WeakSet();
// Of the elements that were not there before.
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
    // `tick` gives nothing: the time ends here, though the page may not be hidden yet.
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

// Not by `track`, which only the features need.
self.footfall = (name, properties) =>
  beacon && send({ b: beacon, u: urlNow(), d: { [name]: true, ...properties }, t });

navigator.webdriver ||
  ("dnt" in document.currentScript.dataset && navigator.doNotTrack | navigator.globalPrivacyControl) ||
  (document.prerendering ? document.addEventListener("prerenderingchange", start) : start());
