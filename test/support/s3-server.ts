/** A server of one bucket that speaks as much of S3 as backups need: put, get, delete, and lists in pages. */
const keysPerPage = 7;

export interface S3Server {
  /** The variables with which a command finds it. */
  readonly environment: readonly string[];
  readonly objects: Map<string, Uint8Array>;
  /** The number of objects that were put. */
  puts: number;
  /** The number of puts that came, done or not. */
  arrivals: number;
  /** Puts wait for this. */
  ready: Promise<void>;
  /** Returns what the get of a key waits for. */
  readyToGive: (key: string) => Promise<void>;
  /** The keys that were asked for, given or not. */
  readonly asked: string[];
  stop(): Promise<void>;
}

export function startS3(bucket: string): S3Server {
  const objects = new Map<string, Uint8Array>();
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    // A test may hold an answer back for as long as it likes.
    idleTimeout: 0,
    fetch: async (request) => {
      const { pathname, searchParams } = new URL(request.url);
      if (!request.headers.get("authorization")?.includes("Credential=access/"))
        return new Response(failure("AccessDenied"), { status: 403 });
      if (pathname.replace(/\/$/, "") === `/${bucket}`) return new Response(page(objects, searchParams));
      const key = decodeURIComponent(pathname.slice(bucket.length + 2));
      if (request.method === "PUT") {
        const bytes = await request.bytes();
        s3.arrivals++;
        await s3.ready;
        objects.set(key, bytes);
        s3.puts++;
        return new Response(null, { headers: { etag: "1" } });
      }
      if (request.method === "DELETE") {
        objects.delete(key);
        return new Response(null, { status: 204 });
      }
      s3.asked.push(key);
      await s3.readyToGive(key);
      const found = objects.get(key);
      return found === undefined
        ? new Response(failure("NoSuchKey"), { status: 404 })
        : new Response(found.slice());
    },
  });
  const s3: S3Server = {
    environment: [
      `S3_ENDPOINT=http://127.0.0.1:${server.port}`,
      "S3_ACCESS_KEY_ID=access",
      "S3_SECRET_ACCESS_KEY=secret",
      "S3_REGION=us-east-1",
    ],
    objects,
    puts: 0,
    arrivals: 0,
    ready: Promise.resolve(),
    readyToGive: () => Promise.resolve(),
    asked: [],
    stop: () => server.stop(true),
  };
  return s3;
}

function page(objects: ReadonlyMap<string, Uint8Array>, asked: URLSearchParams): string {
  const prefix = asked.get("prefix") ?? "";
  const after = asked.get("continuation-token") ?? "";
  const keys = [...objects.keys()].filter((key) => key.startsWith(prefix) && key > after).sort();
  const shown = keys.slice(0, keysPerPage);
  const contents = shown.map((key) => {
    const size = objects.get(key)?.length;
    return `<Contents><Key>${key}</Key><Size>${size}</Size></Contents>`;
  });
  const isTruncated = keys.length > shown.length;
  const next = isTruncated ? `<NextContinuationToken>${shown.at(-1)}</NextContinuationToken>` : "";
  return `<?xml version="1.0"?><ListBucketResult><IsTruncated>${isTruncated}</IsTruncated>${next}${contents.join("")}</ListBucketResult>`;
}

function failure(code: string): string {
  return `<?xml version="1.0"?><Error><Code>${code}</Code><Message>${code}</Message></Error>`;
}
