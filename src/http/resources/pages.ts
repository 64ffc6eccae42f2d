/**
 * Serves the dashboard: one page for all its views, and the outlines that its map asks for. The macros are called
 * inside functions, so that the texts are read from the executable when somebody asks for them.
 */
import { once } from "../../lib/lazy.ts";
import { webPage, worldOutlines } from "../../web/bundle.ts" with { type: "macro" };
import type { PublicRoute } from "../transport/route.ts";
import { defaultScriptName } from "./script.ts";
import { StaticText } from "../transport/static-text.ts";

const world = once(() => new StaticText(worldOutlines()));
/**
 * The page is asked for again each time, because the next version of the program has another one; 304 if it is the
 * same.
 */
const pageCaching = "private, no-cache";
const worldCaching = "public, max-age=86400";

function policyFor(scriptHash: string, styleHash: string): string {
  return [
    "default-src 'none'",
    `script-src ${scriptHash}`,
    `style-src ${styleHash}`,
    "img-src data:",
    "connect-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join("; ");
}

/** `scriptName`: the tracker's name, which the page shows in its snippet. */
function pageHandler(scriptName: string): PublicRoute["handle"] {
  const page = once(() => {
    const { html, scriptHash, styleHash } = webPage();
    const named = html.replace(`data-script="${defaultScriptName}"`, `data-script="${scriptName}"`);
    return { text: new StaticText(named), policy: policyFor(scriptHash, styleHash) };
  });
  return (call) => {
    const { text, policy } = page();
    call.headers["content-security-policy"] = policy;
    return text.answer(call, pageCaching);
  };
}

function pageRoute(path: string, media: string, handle: PublicRoute["handle"]): PublicRoute {
  return { method: "GET", path, access: "public", summary: "", status: 200, media, errors: [], handle };
}

export function pageRoutes(scriptName: string): readonly PublicRoute[] {
  const page = pageHandler(scriptName);
  return [
    ...["/", "/dashboard", "/dashboard/*"].map((path) => pageRoute(path, "text/html; charset=utf-8", page)),
    pageRoute("/dashboard/world.json", "application/json", (call) => world().answer(call, worldCaching)),
  ];
}
