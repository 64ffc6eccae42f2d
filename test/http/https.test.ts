/** HTTPS of the server itself, on a socket with certificates that openssl made. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { connect, type ConnectionOptions, type PeerCertificate, type SecureVersion } from "node:tls";
import { listen, type Certificate, type Listening } from "../../src/http/serve.ts";
import { useFolder } from "../support/folder.ts";
import { TestServer } from "../support/http.ts";
import { describeWith } from "../support/needs.ts";
import { selfSigned } from "../support/self-signed.ts";

const folder = useFolder();

function newCertificate(name: string): Certificate {
  const { cert, key } = selfSigned(join(folder, name));
  return { cert: readFileSync(cert, "utf8"), key: readFileSync(key, "utf8") };
}

/** The certificate that a new connection gets. */
async function shownBy(port: number, options: ConnectionOptions = {}): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<PeerCertificate>();
  const socket = connect({ host: "127.0.0.1", port, rejectUnauthorized: false, ...options }, () =>
    resolve(socket.getPeerCertificate()),
  );
  socket.on("error", reject);
  const { raw } = await promise;
  socket.destroy();
  return raw.toString("base64");
}

const bytesOf = ({ cert }: Certificate) => cert.replace(/-----[^-]+-----|\s/g, "");

describeWith("openssl", "HTTPS", () => {
  let server: TestServer;
  let cookie: string;
  let first: Certificate;
  let listening: Listening;
  beforeAll(async () => {
    server = await TestServer.open();
    cookie = await server.prepare();
    first = newCertificate("first");
    listening = listen(server.app, "127.0.0.1", 0, first);
  });
  afterAll(() => listening.stop(1_000));

  const ask = (path: string, method = "GET") =>
    fetch(listening.url + path, {
      method,
      headers: { cookie: `_me_sess=${cookie}` },
      tls: { rejectUnauthorized: false },
    });

  test("answers as HTTP does", async () => {
    expect(listening.url).toStartWith("https://");
    for (const [path, status] of [
      ["healthz", 200],
      ["api/healthz", 200],
      ["dashboard/settings", 200],
      ["website/example.com/pages?limit=1", 200],
      ["nothing", 404],
    ] as const)
      for (const method of ["GET", "HEAD"]) expect((await ask(path, method)).status).toBe(status);
  });

  test("speaks TLS 1.2 and 1.3, and nothing older", async () => {
    const spoken = (version: SecureVersion) =>
      shownBy(listening.port, { minVersion: version, maxVersion: version }).then(
        () => true,
        () => false,
      );
    const versions = ["TLSv1", "TLSv1.1", "TLSv1.2", "TLSv1.3"] as const;
    expect(await Promise.all(versions.map(spoken))).toEqual([false, false, true, true]);
  });

  test("another certificate is for new connections; a stream goes on, and the next renewal works too", async () => {
    const stream = await ask("website/example.com/live");
    const reader = stream.body?.getReader();
    await reader?.read();
    expect(await shownBy(listening.port)).toBe(bytesOf(first));
    for (const name of ["second", "third"]) {
      const renewed = newCertificate(name);
      listening.renew(renewed);
      expect(await shownBy(listening.port)).toBe(bytesOf(renewed));
      expect((await ask("healthz")).status).toBe(200);
    }
    const next = reader?.read();
    const hit = { b: "b1", u: "https://example.com/", p: true };
    await server.hit(hit);
    expect(new TextDecoder().decode((await next)?.value)).toContain("visitors");
    await reader?.cancel();
  });

  test("a key of another certificate is an error, and the one before stays", async () => {
    const before = await shownBy(listening.port);
    const mixed = { ...first, key: newCertificate("other").key };
    expect(() => listening.renew(mixed)).toThrow("KEY_VALUES_MISMATCH");
    expect(await shownBy(listening.port)).toBe(before);
    expect(() => listen(server.app, "127.0.0.1", 0, mixed)).toThrow("KEY_VALUES_MISMATCH");
  });

  test("a port that another has is an error and not shared", () => {
    expect(() => listen(server.app, "127.0.0.1", listening.port, first)).toThrow("port");
  });
});
