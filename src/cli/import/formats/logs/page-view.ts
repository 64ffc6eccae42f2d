/**
 * Decides which lines of an access log are page views, namely those that a tracker on the page would have reported: a
 * GET that was answered with content (200 to 299) or from the browser's cache (304), and neither for an asset nor for
 * something else that runs no tracker. Who asked is judged elsewhere.
 */
import type { LogLine } from "./log-line.ts";

/** The reason why a readable line is no page view. */
export type NoPageView = "method" | "status" | "asset";

/**
 * The extensions of files that are no pages. Pages end in nothing, in .html, .php or the like, and often in a part of
 * their title that looks like an extension (`/logstash-1.3`): so any extension not listed is a page. Feeds, plain text
 * and source code are listed, because they run no tracker either.
 */
const assetExtensions = new Set(
  [
    "css js mjs cjs map json jsonld webmanifest wasm less scss",
    "png jpg jpeg jpe gif svg svgz webp avif ico cur bmp tif tiff heic psd eps",
    "woff woff2 ttf otf eot",
    "mp3 mp4 m4a m4v m4s mpg mpeg ogg oga ogv opus webm wav flac aac avi mov mkv wmv flv swf m3u m3u8 ts vtt",
    "zip gz tgz bz2 tbz xz txz zst 7z rar tar jar war gem whl deb rpm apk dmg pkg msi exe iso img bin",
    "pdf ps doc docx xls xlsx ppt pptx odt ods odp rtf epub mobi tex bib",
    "xml rss atom xsl xslt xsd dtd rdf txt csv tsv log md markdown yml yaml toml ini conf cfg spec sql pcap",
    "c h cc cpp hpp cs go rs java kt swift py pyc rb pl pm lua sh bash vim m4 mk diff patch xs",
  ].flatMap((names) => names.split(" ")),
);
const extension = /\.([A-Za-z0-9]+)$/;
/**
 * The paths of feeds without an extension, and those of WordPress that are none of its pages, also where it is in a folder. A
 * path that only ends in `/wp-admin/` is one of them at the root: elsewhere it is mostly a tag of a page about WordPress.
 */
const noPagePath =
  /\/feed\/((atom|rdf|rss2?)\/?)?$|^\/wp-(admin|json)\/?$|\/wp-(admin|content|includes|json)\/.|\/(wp-(cron|links-opml|login|trackback)|xmlrpc)\.php$/;
/** The same by query, for WordPress without paths of its own; and what a shop of WooCommerce asks for beside its pages. */
const noPageQuery = /[?&](feed=(atom|rdf|rss|comments-)|rest_route=|wc-ajax=)/;

/** Returns undefined for a page view. */
export function whyNoPageView({ method, status, target }: LogLine): NoPageView | undefined {
  if (method !== "GET") return "method";
  if ((status < 200 || status > 299) && status !== 304) return "status";
  return runsNoTracker(target) ? "asset" : undefined;
}

function runsNoTracker(target: string): boolean {
  const path = target.replace(/[?#].*$/s, "");
  if (noPagePath.test(path) || noPageQuery.test(target)) return true;
  const found = extension.exec(path)?.[1];
  return found !== undefined && assetExtensions.has(found.toLowerCase());
}
