/**
 * A text that is part of the program. It is sent compressed as the client prefers, and only if the client does not have
 * it yet.
 */
import type { Call } from "../transport/route.ts";

/** The most preferred first. */
const codings = ["br", "gzip", "identity"] as const;
type Coding = (typeof codings)[number];

/**
 * Hits wait meanwhile, and so does whoever opens the dashboard first: the page takes 10 ms and 55,400 bytes with this, and
 * 225 ms and 51,600 with the best one.
 */
const brotliQuality = 9;

async function compressed(text: string, coding: Coding): Promise<string | Uint8Array<ArrayBuffer>> {
  if (coding === "identity") return text;
  if (coding === "gzip") return Bun.gzipSync(text, { library: "libdeflate", level: 12 });
  // Loading it takes some milliseconds, which a start can do without.
  const { brotliCompressSync, constants } = await import("node:zlib");
  const params = { [constants.BROTLI_PARAM_QUALITY]: brotliQuality };
  return new Uint8Array(brotliCompressSync(text, { params }));
}

/**
 * The compressed forms by their ETags, made when they are first asked for. The texts of a program are few. Answers share a
 * Blob, where each would copy bytes: thousands of clients may read slowly, or not at all.
 */
const bodies = new Map<string, Promise<Blob>>();

export class StaticText {
  private readonly hash: string;

  constructor(private readonly text: string) {
    this.hash = Bun.hash(text).toString(36);
  }

  /** `caching`: the value of Cache-Control. */
  async answer({ request, headers }: Pick<Call, "request" | "headers">, caching: string): Promise<Response> {
    const coding = codingFor(request.headers.get("accept-encoding") ?? "");
    const etag = `"${this.hash}-${coding}"`;
    headers["cache-control"] = caching;
    headers["vary"] = "accept-encoding";
    headers["etag"] = etag;
    if (knows(request.headers.get("if-none-match"), etag)) return new Response(null, { status: 304 });
    if (coding !== "identity") headers["content-encoding"] = coding;
    return new Response(await this.body(coding, etag));
  }

  private body(coding: Coding, etag: string): Promise<Blob> {
    const compress = () => compressed(this.text, coding).then((bytes) => new Blob([bytes]));
    return bodies.getOrInsertComputed(etag, compress);
  }
}

/** Returns the first of `codings` that an Accept-Encoding names and does not refuse with `q=0`. */
function codingFor(accepted: string): Coding {
  const named = accepted
    .toLowerCase()
    .split(",")
    .filter((part) => !/;\s*q=0(\.0*)?\s*$/.test(part))
    .map((part) => part.split(";", 1)[0]?.trim());
  return codings.find((coding) => named.includes(coding)) ?? "identity";
}

function knows(etags: string | null, etag: string): boolean {
  return etags?.split(",").some((known) => known.trim().replace(/^W\//, "") === etag) ?? false;
}
