/**
 * Serves the dashboard: one page for all its views, and the files that it asks for: its second script, the outlines of
 * its map, flags and marks, and its words in other languages. The macros are called inside functions, so that the texts
 * are read from the executable when somebody asks for them.
 */
import { parseHostname } from "../../core/addresses/hostname.ts";
import { languages } from "../../core/languages.ts";
import { Refusal } from "../../core/refusal.ts";
import { wordTexts } from "../../core/words/translated-words.ts";
import { embedded } from "../../core/embedded.ts";
import { once } from "../../lib/lazy.ts";
import { marks, webPage, worldOutlines } from "../../web/bundle.ts" with { type: "macro" };
import type { WebPage } from "../../web/build.ts";
import type { Call, PublicRoute } from "../transport/route.ts";
import { defaultScriptName } from "./script.ts";
import { StaticText } from "../answers/static-text.ts";

const web = once(() => embedded(webPage()));
const modules = once(() => new StaticText(web().modules));
const world = once(() => new StaticText(embedded(worldOutlines())));
const markShapes = once(() => new StaticText(embedded(marks())));
/**
 * The page is asked for again each time, because the next version of the program has another one; 304 if it is the
 * same.
 */
const pageCaching = "private, no-cache";
const fileCaching = "public, max-age=86400";
/** The second script of another version has another name. */
const modulesCaching = "public, max-age=31536000, immutable";

/** `frameAncestors`: the sources whose pages may show this one in a frame. */
function policyFor(
  { scriptHash, modulesHash, styleHash }: WebPage,
  frameAncestors: readonly string[],
): string {
  const ancestors = frameAncestors.length === 0 ? "'none'" : frameAncestors.join(" ");
  return [
    "default-src 'none'",
    `script-src ${scriptHash} ${modulesHash}`,
    `style-src ${styleHash}`,
    "img-src data:",
    "connect-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    `frame-ancestors ${ancestors}`,
  ].join("; ");
}

/** `scriptName`: the tracker's name, which the page shows in its snippet. `base`: the path below which everything is. */
function pageHandlers(scriptName: string, base: string): Record<"own" | "shared", PublicRoute["handle"]> {
  const pageOf = (mail: "yes" | "no") => {
    const named = web()
      .html.replace(`data-script="${defaultScriptName}"`, `data-script="${scriptName}"`)
      .replace('data-base=""', `data-base="${base}"`)
      .replace('data-mail=""', `data-mail="${mail}"`)
      .replace("at /openapi.json", `at ${base}/openapi.json`);
    const policy = (ancestors: readonly string[]) => policyFor(web(), ancestors);
    return { text: new StaticText(named), policy };
  };
  const pages = { yes: once(() => pageOf("yes")), no: once(() => pageOf("no")) };
  const answer = (call: Call, ancestors: readonly string[]) => {
    const { text, policy } = pages[call.services.sendsMail ? "yes" : "no"]();
    call.headers["content-security-policy"] = policy(ancestors);
    // Nobody looks for somebody's server, and its login, in a search engine.
    call.headers["x-robots-tag"] = "noindex";
    return text.answer(call, pageCaching);
  };
  return {
    own: (call) => answer(call, []),
    shared: (call) => {
      const ancestors = frameAncestorsOf(call);
      // A page with Cross-Origin-Embedder-Policy shows only what says that it may be shown.
      if (ancestors.length > 0) call.headers["cross-origin-resource-policy"] = "cross-origin";
      return answer(call, ancestors);
    },
  };
}

/** Returns the hosts that may show a link in a frame; none for a link that does not exist. */
function frameAncestorsOf({ services, params }: Call): readonly string[] {
  const website = services.engine.registry.websiteForHit(parseHostname(params["hostname"] ?? "") ?? "");
  return website?.links.find(({ linkId }) => linkId === params["id"])?.frameAncestors ?? [];
}

/** The second script goes only by its own name, as browsers keep it forever. */
async function modulesAnswer(call: Call): Promise<Response> {
  if (call.params["name"] !== web().modulesName) throw new Refusal(404, "This script is of another version.");
  return modules().answer(call, modulesCaching);
}

/**
 * Returns a file of a language: the words of the first script's texts; `more`, which has the names and all other words; or
 * the definitions.
 */
function wordFile(code: string, file: "words" | "more" | "definitions"): string {
  const { names = "{}", words = "{}", definitions = "{}" } = wordTexts().get(code) ?? {};
  if (file === "definitions") return definitions;
  const first = new Set(web().texts);
  const all = Object.entries(JSON.parse(words) as Record<string, string>);
  const own = Object.fromEntries(all.filter(([english]) => first.has(english) === (file === "words")));
  return JSON.stringify(file === "words" ? own : { ...JSON.parse(names), words: own });
}

function pageRoute(path: string, media: string, handle: PublicRoute["handle"]): PublicRoute {
  return { method: "GET", path, access: "public", summary: "", media, errors: [], handle };
}

function fileRoute(name: string, text: () => StaticText): PublicRoute {
  return pageRoute(`/dashboard/${name}.json`, "application/json", (call) => text().answer(call, fileCaching));
}

export function pageRoutes(scriptName: string, base: string): readonly PublicRoute[] {
  const { own, shared } = pageHandlers(scriptName, base);
  const media = "text/html; charset=utf-8";
  return [
    ...[...(base === "" ? [] : [""]), "/", "/dashboard", "/dashboard/*"].map((path) =>
      pageRoute(path, media, own),
    ),
    pageRoute("/share/:hostname/:id", media, shared),
    pageRoute("/dashboard/modules/:name", "text/javascript; charset=utf-8", modulesAnswer),
    fileRoute("world", world),
    fileRoute("marks", markShapes),
    ...languages.flatMap((code) =>
      (["words", "more", "definitions"] as const).map((file) =>
        fileRoute(
          `${file}/${code}`,
          once(() => new StaticText(wordFile(code, file))),
        ),
      ),
    ),
  ];
}
