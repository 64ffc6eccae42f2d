/** The page for people: set-up, login, and the websites with their visitors. */
import type { Call, PublicRoute } from "./route.ts";
import { textFile } from "./text-file.ts" with { type: "macro" };

const html = textFile("page.html");
const script = textFile("page.js");
const policy =
  "default-src 'none'; script-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

function page({ headers }: Call): string {
  headers["content-security-policy"] = policy;
  headers["referrer-policy"] = "no-referrer";
  return html;
}

function pageRoute(path: string, media: string, handle: PublicRoute["handle"]): PublicRoute {
  return { method: "GET", path, access: "public", summary: "", status: 200, media, errors: [], handle };
}

export const pageRoutes: readonly PublicRoute[] = [
  ...["/", "/dashboard", "/dashboard/*"].map((path) => pageRoute(path, "text/html; charset=utf-8", page)),
  pageRoute("/app.js", "text/javascript; charset=utf-8", () => script),
];
