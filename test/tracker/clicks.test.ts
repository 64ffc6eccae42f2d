/**
 * One click in a real browser is one event, whatever was clicked: links in every form that browsers know, files by their
 * names or by what the page says of them, and labels, after which browsers make a click of their own.
 */
import { expect, test } from "bun:test";
import type { Chromium, Tab } from "../support/chromium.ts";
import { describeWith } from "../support/needs.ts";
import { useTracked, type TrackedServer } from "../support/tracked.ts";
import { until } from "../support/until.ts";
import { eventsSentBy, watchedPage } from "../support/watched-page.ts";

/** No click leaves the page. */
const staying = `<script>
  addEventListener("click", (event) => event.composedPath().some(({ href }) => href) && event.preventDefault());
</script>`;
const elsewhere = "https://other.example";

let tracked: TrackedServer;
let browser: Chromium;

const opened = async (host: string, body: string): Promise<Tab> =>
  tracked.arrive(browser, await tracked.site(host, { body: watchedPage + staying + body }));

/** The properties of the events, in their order, once the server has as many. */
async function eventsOf(tab: Tab, host: string): Promise<Record<string, unknown>[]> {
  const events = await eventsSentBy(tab);
  expect(await tab.evaluate("errors")).toEqual([]);
  const came = () =>
    tracked.hits.filter(({ u, d }) => d !== undefined && String(u).startsWith(tracked.urlOf(host))).length;
  await until(
    () => came() === events.length,
    () => `${events.length} events come, there are ${came()}`,
  );
  return events;
}

/** Clicks one after the other, and waits until the last one is over. */
async function clickOn(tab: Tab, ...selectors: readonly string[]): Promise<void> {
  for (const selector of selectors) {
    await tab.evaluate(`document.querySelector("${selector}").scrollIntoView({ block: "center" })`);
    await tab.click(selector);
    await tab.evaluate("new Promise((done) => setTimeout(done, 0, 0))");
  }
}

describeWith("chromium", "clicks", () => {
  useTracked((its) => ({ tracked, browser } = its), ["click-events", "outbound-links", "file-downloads"]);

  test("links to elsewhere: in a shadow root, of SVG, on an icon, of an image map", async () => {
    const host = "links.example";
    const tab = await opened(
      host,
      `<p><a href="${elsewhere}/icon"><svg width=40 height=40><symbol id=s><rect width=40 height=40 /></symbol>
        <use id=icon href="#s" /></svg></a></p>
      <p><svg width=40 height=40><a href="${elsewhere}/svg"><rect id=svg width=40 height=40 /></a></svg></p>
      <p><svg width=40 height=40><a xlink:href="//other.example/old"><rect id=old width=40 height=40 /></a></svg></p>
      <p><svg width=40 height=40><a href="/inside"><rect id=inside width=40 height=40 /></a></svg></p>
      <p><img id=map usemap=#areas width=40 height=40 src="data:image/gif;base64,R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7">
      <map name=areas><area shape=rect coords="0,0,40,40" href="${elsewhere}/area"></map></p>
      <p><span id=shadow></span></p>
      <script>
        shadow.attachShadow({ mode: "open" }).innerHTML =
          '<a href="${elsewhere}/shadow" data-footfall-click="place=shadow"><b>Elsewhere</b></a>';
      </script>`,
    );
    await clickOn(tab, "#icon", "#svg", "#old", "#inside", "#map", "#shadow");
    expect(await eventsOf(tab, host)).toEqual([
      { outbound_link: `${elsewhere}/icon` },
      { outbound_link: `${elsewhere}/svg` },
      { outbound_link: "http://other.example/old" },
      { outbound_link: `${elsewhere}/area` },
      { place: "shadow", outbound_link: `${elsewhere}/shadow` },
    ]);
    await tab.close();
  });

  test("a link to www. of the same website leads nowhere else, and what is no link to a host counts as none", async () => {
    const host = "own.example";
    const hrefs = [
      `http://www.${host}:${tracked.port}/page`,
      "/page",
      "#part",
      "",
      "mailto:ada@files.zip",
      "javascript:void 0",
      "http://[/",
      `http://shop.${host}:${tracked.port}/`,
    ];
    const links = hrefs.map((href, at) => `<p><a id=l${at} href="${href}">Link</a></p>`);
    const math = `<math><a id=math><mi>xxxxxx</mi></a></math>`;
    const tab = await opened(host, `${links.join("")}<p><a id=bare>No link</a> ${math}</p>`);
    await clickOn(tab, ...hrefs.map((_, at) => `#l${at}`), "#bare", "#math");
    expect(await eventsOf(tab, host)).toEqual([{ outbound_link: hrefs.at(-1) }]);
    await tab.close();
  });

  test("links of a page with a base on another host: what has no address leads nowhere", async () => {
    const host = "base.example";
    const tab = await opened(
      host,
      `<base href="https://cdn.other.example/app/">
      <p><a id=far href="page">Far</a> <a id=near href="${tracked.urlOf(host, "/page")}">Near</a></p>
      <p><a id=bare>No link</a> <b id=text>Text</b> <a id=file download>No file</a></p>
      <p><svg width=40 height=40><a href="drawing"><rect id=svg width=40 height=40 /></a></svg></p>
      <p data-footfall-click="card" id=card>Card</p>`,
    );
    await clickOn(tab, "#text", "#bare", "#file", "#svg", "#near", "#card", "#far");
    expect(await eventsOf(tab, host)).toEqual([
      { outbound_link: "https://cdn.other.example/app/drawing" },
      { card: true },
      { outbound_link: "https://cdn.other.example/app/page" },
    ]);
    await tab.close();
  });

  test("files by the ends of their names, and by the attribute download", async () => {
    const host = "files.example";
    const ends =
      `7z apk AppImage bz2 csv deb dmg doc docx epub exe gz ics iso m4a m4v mov mp3 mp4 msi odp ods odt pdf pkg ppt pptx
      rar rpm rtf tar tar.gz tgz txt wav webm xls xlsx xz zip`.split(/\s+/);
    const others = ["html", "json", "zip/", "pdf.html", "pdfx", "atar"];
    const files = [...ends, ...others].map((end) => `<a href="/file.${end}?v=1">${end}</a> `);
    const asked = `<a href="/export?as=json" download>all</a> <a href="/file.pdf" download="report.pdf">report</a>
      <svg width=40 height=40><a href="/drawing" download=""><rect width=40 height=40 /></a></svg>
      <a href="data:text/plain,secret" download="notes.txt">notes</a> <a id=blob download="page.csv">page</a>
      <script>blob.href = URL.createObjectURL(new Blob(["secret"]))</script>`;
    const tab = await opened(host, `<main>${files.join("")}${asked}</main>`);
    const click = "link.dispatchEvent(new MouseEvent('click', { bubbles: true, cancelable: true }))";
    await tab.evaluate(`for (const link of document.querySelectorAll("main a")) ${click}`);
    const expected = [...ends.map((end) => `/file.${end}`), "/export", "/file.pdf", "/drawing"];
    expect(await eventsOf(tab, host)).toEqual(
      expected.map((path) => ({ file_download: tracked.urlOf(host, path) })),
    );
    await tab.close();
  });

  test("an address is sent without user, password, query and fragment", async () => {
    const host = "secret.example";
    const own = tracked.urlOf(host, "/list.pdf?token=secret#page=2").replace("//", "//ada:secret@");
    const tab = await opened(
      host,
      `<p><a id=out href="https://ada:secret@other.example:8443/offer/?mail=ada@x.example#secret">Out</a></p>
      <p><a id=file href="${own}">File</a> <a id=app href="chat://room/7?token=secret">App</a></p>
      <p><a id=both download href="${elsewhere}/a%20b.zip?key=secret">Both</a></p>`,
    );
    await clickOn(tab, "#out", "#file", "#app", "#both");
    const both = `${elsewhere}/a%20b.zip`;
    expect(await eventsOf(tab, host)).toEqual([
      { outbound_link: "https://other.example:8443/offer/" },
      { file_download: tracked.urlOf(host, "/list.pdf") },
      { outbound_link: "chat://room/7" },
      { outbound_link: both, file_download: both },
    ]);
    await tab.close();
  });

  test("a click on a label is one event, and so is each other on its field and on buttons", async () => {
    const host = "labels.example";
    const tab = await opened(
      host,
      `<p><label id=around data-footfall-click="terms"><b id=text>I agree</b> <input id=inner type=checkbox></label></p>
      <p><label id=before data-footfall-click="news" for=outer>News</label> <input id=outer type=checkbox></p>
      <p><label id=plain>Colour <input data-footfall-click="colour" type=radio></label></p>
      <p data-footfall-click="group"><label id=both>A <input id=own type=checkbox data-footfall-click="field"></label></p>
      <p><button id=button data-footfall-click="button">Buy</button></p>
      <p data-footfall-click="card"><button id=quiet data-footfall-click>Close</button></p>`,
    );
    await clickOn(tab, "#text", "#text", "#inner", "#inner", "#before", "#plain", "#both", "#own");
    expect(await tab.evaluate("[inner.checked, outer.checked]")).toEqual([false, true]);
    await clickOn(tab, "#quiet");
    await tab.evaluate("button.click(); button.click()");
    await tab.evaluate("inner.focus()");
    await tab.press(" ", " ");
    const names = (await eventsOf(tab, host)).flatMap((properties) => Object.keys(properties));
    expect(names).toEqual([
      ...["terms", "terms", "terms", "terms", "news", "colour"],
      ...["group", "field", "field", "button", "button", "terms", "terms"],
    ]);
    await tab.close();
  });
});
