/** The picture that counts page views where no script runs: mail, feeds, pages for browsers without scripts. */
import { Type } from "@sinclair/typebox";
import { badInput } from "../../core/refusal.ts";
import { fileSchema } from "../parsing/schemas.ts";
import { parsePairs, rawQuery } from "../parsing/query-string.ts";
import type { VisitorCall, VisitorRoute } from "../transport/route.ts";
import { countHit } from "./event.ts";

/** A transparent GIF of one pixel, as GIF89a has it. */
const gif = Uint8Array.fromBase64("R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7");
const beaconBytes = 16;

async function pixel(call: VisitorCall): Promise<Response> {
  const { services, request, headers } = call;
  const given = new Map(parsePairs(rawQuery(request.url)));
  const u = given.get("u");
  if (u === undefined) throw badInput("u", u, "the URL of the page");
  headers["cache-control"] = "no-store";
  // Nobody has seen what a browser fetches ahead.
  if (!/prefetch/i.test(request.headers.get("sec-purpose") ?? request.headers.get("purpose") ?? "")) {
    const b = services.engine.random.bytes(beaconBytes).toHex();
    // A picture is asked for each time: it does not tell who is new, but the visit may.
    const body = { b, u, r: given.get("r"), t: given.get("t"), n: true };
    await countHit(call, body, true);
  }
  return new Response(gif);
}

export const pixelRoutes: readonly VisitorRoute[] = [
  {
    method: "GET",
    path: "/event/pixel.gif",
    bySequencer: true,
    access: "visitor",
    isPicture: true,
    summary: "Count a page view where no script runs, by a transparent picture",
    description:
      "For mail, feeds, and `<noscript>`: each request is a page view, whose time nobody knows. It is a visitor's first " +
      "where it begins a visit that comes from elsewhere, and never on a website without visits. The image proxies of mail programs count too, " +
      "though readers behind one of them are not told apart. The picture is the same whether it was counted or not; `rejections` says why not.",
    query: [
      { name: "u", required: true, description: "URL of the page, http or https", schema: Type.String() },
      { name: "r", description: "URL of the referrer", schema: Type.String() },
      { name: "t", description: "IANA time zone of the visitor", schema: Type.String() },
    ],
    answer: fileSchema,
    media: "image/gif",
    errors: [400, 404],
    handle: pixel,
  },
];
