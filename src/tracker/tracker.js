// The script that counts a website. It runs in the pages of others: it sends page views, how long they were visible,
// and events to the server that it came from, breaks nothing, and keeps nothing in the browser (no cookie, no storage,
// no fingerprint) but one flag, where a person asks for it. The browser's HTTP cache knows whether a visitor is new.
// Names in capitals are features, true or false when the script is built. Every byte is sent to every visitor: shorter
// ways to write the same were measured, and are not always smaller when compressed.
const { dataset, src } = document.currentScript ?? {};
// A module has no element, and a script inside the page no address.
if (!src) return console.error("footfall: no src");
const base = new URL("event/", src);
// A page may have the tag twice, and some routers run it again with each page: the first run counts. Another server has
// another base.
if (self[base]) return;
self[base] = 1;
// The letters are those of the hit and of the ping.
const t = Intl.DateTimeFormat().resolvedOptions().timeZone;

// The beacon of the page view; unset while nothing may be counted.
let beacon;
let path;
// The milliseconds for which the page view was visible until `visibleSince`, which is falsy while it is hidden.
let visibleMs;
let visibleSince;
// It is aborted when the page is left: the pings that have no answer yet end, and so do the waits before another try.
let leaving = new AbortController();

// A person opens a page with #footfall-ignore to be counted no more in this browser, with #footfall-count to be counted
// again, and with #footfall-debug to see the server's answers. With each of them the console says what is so.
const mode = location.hash.split("#footfall-")[1];
const say = (text) => mode && console.info("footfall:", text);
let ignored;
// A page that may not store anything may not even ask for it.
try {
  // Anybody may write a link that ends so: whoever opens it is asked.
  if (mode == "ignore" && confirm("Stop counting your visits here?")) localStorage.footfall = mode;
  if (mode == "count") delete localStorage.footfall;
  ignored = localStorage.footfall == "ignore";
} catch {}

// Sends a hit, or asks where there is none. Resolves to whether the answer is "0"; to null if it is an error of what was
// asked; to nothing if there is none, or if the hit cannot be written: a page may pass to `footfall` what throws then.
const ask = async (url, hit, next) => {
  try {
    const answer = await fetch(
      base + url,
      hit
        ? {
            method: "POST",
            // A text needs no preflight. The server refuses a whole hit for a property that is no text, number or
            // boolean, for one that is too long, and for the 31st. So the one is left out (by its type: a bigint, a
            // function, an object or undefined), the other cut, and what comes after the 30th left out. A date is a
            // text in JSON. The first one names the event, and is true rather than left out. The properties are the
            // last field of a hit: `next` counts them from 1, which is true.
            body: JSON.stringify(hit, (name, value) =>
              next
                ? (/r|oo/.test(typeof value) || (value = next === true)) && next++ < 31
                  ? (value.slice?.(0, 2e3) ?? value)
                  : null
                : ((next = name == "d"), value),
            ),
            // The browser sends it though the page ends.
            keepalive: true,
          }
        : { cache: "no-cache", signal: leaving.signal },
    );
    const text = await answer.text();
    if (hit) say(text);
    if (answer.status < 500) return answer.ok ? text == "0" : null;
  } catch {}
};

// The server keeps the longest time of a page view, which is the last one.
const tick = () => {
  visibleSince && ask("hit", { b: beacon, m: (visibleMs += performance.now() - visibleSince) | 0 });
  visibleSince = document.hidden ? 0 : performance.now();
};

// Asks whether the browser is new today, to the website or to a page of it. The browser compares what it keeps with the
// server's; it keeps no answer that comes when the page is left, so that the next page may still be the first.
const ping = (page) =>
  Promise.race([
    ask("ping?" + new URLSearchParams({ u: location.hostname.replace(/^www\./, "") + page, t })),
    // WebKit ends a page that is closed before it says that the request was aborted.
    new Promise((resolve) => leaving.signal.addEventListener("abort", () => resolve())),
  ]);
// The page that is counted: the owner may name another path for it. A fragment is part of it only if a router uses it as a
// path: many routers write "#/" after the address that they begin at, which stays one page. Other fragments may be
// secret, and are not sent.
const urlNow = () => {
  const url = new URL(location);
  url.pathname = dataset.path || url.pathname;
  if (!HASH_ROUTES || !/^#!?\/[^?#]/.test(url.hash)) url.hash = "";
  return url;
};

const [navigation] = performance.getEntriesByType("navigation");
// Resolves after a time, and before it when another try is worth it, or is the last one.
const later = (ms) =>
  new Promise((resolve) => {
    setTimeout(resolve, ms);
    addEventListener("online", resolve);
    leaving.signal.addEventListener("abort", resolve);
  });

let turn = Promise.resolve();
// Counts a page view if the path is another or the browser restores the page. The path is the server's: without a slash at
// its end, and without a query or a fragment inside its fragment. Only a page load has a referrer; whoever was here before
// comes from the website itself.
const open = async (event, r) => {
  const u = urlNow();
  if (
    path !=
      (path = (HASH_ROUTES ? u.pathname + /^#?[^?#]*/.exec(u.hash) : u.pathname).replace(/(?!^)\/$/, "")) ||
    event?.persisted
  ) {
    tick();
    visibleMs = 0;
    if (leaving.signal.aborted) leaving = new AbortController();
    const b = (beacon = "" + Math.random());
    const page = path;
    let p;
    let newToPage;
    let d;
    // A page that the browser restores is another page view, with all that is in it.
    if (PAGE_EVENTS && event?.persisted) counted = new WeakMap();
    // A load that the server does not get is sent again, four times in 70 minutes. One that it has counts once.
    for (let ms = 5e3; ; ms *= 9) {
      // While a browser restores a tab, it takes what it keeps for the server's answer, whatever is asked.
      while (navigation?.type == "back_forward" && !navigation.loadEventEnd && !leaving.signal.aborted)
        await later(200);
      const answer = ping(page);
      // Views that come at once ask one after the other: whoever is new is so with the first of them.
      await (turn = turn.then(async () => {
        p ??= await ping("");
        newToPage ??= await answer;
        // A private window of Safari keeps nothing, and is as new when it is asked again: then nobody knows. The answer for
        // the page stands, as most pages are seen once in a visit. A page that is left or hidden has its first answers.
        if (p && newToPage && /^A/.test(navigator.vendor))
          await Promise.race([
            ping(page).then((isNew) => isNew && (p = null)),
            new Promise((resolve) => addEventListener("visibilitychange", resolve)),
          ]);
      }));
      // Somebody may have gone on meanwhile: then the page has what the next view says.
      if (PAGE_EVENTS && b == beacon) {
        counted.view = b;
        d ??= newPageEvents();
      }
      // Without an answer nobody is called new, neither to the website (`n` says so) nor to the page: the view is
      // counted, but a visitor is not made up.
      if (
        (await ask("hit", { b, u, p, q: !newToPage, n: p == null, r: r ?? u, t, d })) !== undefined ||
        ms > 4e6
      )
        break;
      await later(ms);
    }
  }
};

// Sends an event if there is at least one property. With an id it counts once, however often its page is opened.
const track = (d, i) => Object.keys(d)[0] && ask("hit", { b: beacon, u: urlNow(), t, i, d });

// Reads the properties from an attribute: `name=value;other`. Without a value a property is true. A name that the server
// would refuse is cut.
const read = (d, attribute) =>
  attribute?.replace(/([^\s=;]{1,300})[^\s=;]*=?([^;]*)/g, (_, name, value) => (d[name] = value || true));

// The text that each element had when its event was sent. `view`: the page view that was, with what was there by then.
let counted = new WeakMap();
// Returns the properties of the elements that were not counted yet: a router may keep an element for its next page, and
// change what it says. One with an id is an event by itself: the page view counts however often it comes. That event
// follows the page view, but not its answer: the page may be left before it.
const newPageEvents = () => {
  const d = {};
  for (const element of document.querySelectorAll("[data-footfall-load]")) {
    const said = element.dataset?.footfallLoad;
    const i = element.dataset?.footfallId;
    if (counted.get(element) != said + i) {
      const own = i ? {} : d;
      read(own, said, counted.set(element, said + i));
      i && queueMicrotask(() => track(own, i));
    }
  }
  return d;
};

const fileNames =
  /\.(7z|apk|appimage|bz2|csv|deb|dmg|docx?|epub|exe|gz|ics|iso|m4[av]|mov|mp[34]|msi|od[pst]|pdf|pkg|pptx?|rar|rpm|rtf|tar|tgz|txt|wav|webm|xlsx?|xz|zip)$/i;
// The element whose click was counted in this task, and what in it was clicked.
let clickedElement;
let clickedNode;
// `www.` and the bare host are one website.
const bare = (host) => host.replace(/^www\./, "");

const clicked = (event, d = {}, i) => {
  // It begins inside of an open shadow root, of which `target` names the host only.
  const nodes = event.composedPath();
  if (CLICK_EVENTS) {
    const element = nodes.find((node) => node.dataset?.footfallClick != null);
    // After a click on a label the browser makes one on its field, in the same task.
    if (element && !(element == clickedElement && nodes[0] != clickedNode && nodes[0].labels?.[0])) {
      read(d, element.dataset.footfallClick);
      i = element.dataset.footfallId;
      clickedNode = nodes[0];
      clickedElement = element;
      setTimeout(() => (clickedElement = 0));
    }
  }
  if (OUTBOUND_LINKS || FILE_DOWNLOADS) {
    const link = nodes.find((node) => /^a(rea)?$/.test(node.localName));
    // A link of SVG has the text that was written, as an object, and no parts; one of HTML as a text is its URL.
    // Without an address it is no link: a `<base>` would give it one.
    const url = document.createElement("a");
    if (link?.href) url.href = link.href.baseVal ?? link;
    // Names, passwords, queries and fragments may be secret.
    const shown = url.protocol + "//" + url.host + url.pathname;
    if (OUTBOUND_LINKS && url.host && bare(url.host) != bare(location.host)) d.outbound_link = shown;
    if (FILE_DOWNLOADS && url.host && (link.hasAttribute("download") || fileNames.test(url.pathname)))
      d.file_download = shown;
  }
  // The right button follows no link.
  if (event.button < 2) track(d, i);
};

const start = () => {
  open(0, document.referrer);
  const watch = (name, original = history[name]) =>
    (history[name] = (...args) => {
      open(original.apply(history, args));
    });
  watch("pushState");
  watch("replaceState");
  addEventListener("popstate", open);
  // A router of the Navigation API causes none of these. Pages may have a variable of that name.
  self.navigation?.addEventListener?.("currententrychange", open);
  addEventListener("pageshow", open);
  if (HASH_ROUTES) addEventListener("hashchange", open);
  // The code that waits for the aborted ping goes on before the next listener: the load is sent before its time.
  addEventListener("pagehide", () => leaving.abort());
  // `tick` returns nothing, so the time ends here, though the page may not be hidden yet.
  addEventListener("pagehide", () => (visibleSince = tick()));
  addEventListener("visibilitychange", tick);
  if (CLICK_EVENTS || OUTBOUND_LINKS || FILE_DOWNLOADS) {
    addEventListener("click", clicked, true);
    addEventListener("auxclick", clicked, true);
  }
  if (PAGE_EVENTS)
    // Some routers show a page, and then change the address in the same task: what is new is of the view that begins there.
    new MutationObserver(() => setTimeout(() => counted.view == beacon && track(newPageEvents()))).observe(
      document,
      { attributeFilter: ["data-footfall-load", "data-footfall-id"], childList: true, subtree: true },
    );
};

// Runs it now, or when a page that is rendered ahead is looked at.
const whenSeen = (run) =>
  document.prerendering ? document.addEventListener("prerenderingchange", run) : run();

// Does not use `track`, which only the features need. A text or a list in place of the properties would be spread into
// one property for each of its places: both have `concat`, and are left out.
self.footfall = (name, properties, i) =>
  name
    ? whenSeen(
        () =>
          beacon &&
          ask("hit", {
            b: beacon,
            u: urlNow(),
            t,
            i,
            d: { [name]: true, ...(properties?.concat ? 0 : properties) },
          }),
      )
    : say("no name");

ignored
  ? say("ignored")
  : navigator.webdriver ||
      // A copy that somebody saved has the path of a file on their machine. A sandboxed frame keeps nothing, and its page
      // would be a new visitor each time: the page around it counts.
      self.origin == "null" ||
      ("dnt" in dataset && navigator.doNotTrack | navigator.globalPrivacyControl) ||
      // A page of the same origin shows this one, and counts already.
      (self.frameElement && dataset.frames == null)
    ? say("not counted")
    : (say("not ignored"), whenSeen(start));
