/**
 * A program that sends a webhook while all threads of the runtime wait. Takes a folder for a pipe. Writes "sent", or why not,
 * and whether something was packed meanwhile.
 */
import { createSocket } from "node:dgram";
import { setServers } from "node:dns";
import { promises } from "node:fs";
import { gzip } from "node:zlib";
import { parseNetworks } from "../../src/http/callers/client-address.ts";
import { systemResolve } from "../../src/lib/resolve.ts";
import { postWebhook } from "../../src/notify/sending/webhook.ts";

/** Opens a name server that knows the address 127.0.0.1 for every name. Returns its port. */
async function nameServer(): Promise<number> {
  const socket = createSocket("udp4");
  socket.on("message", (query, { port, address }) => {
    const question = query.subarray(12, query.indexOf(0, 12) + 5);
    const isIpv4 = question.readUInt16BE(question.length - 4) === 1;
    const head = Buffer.concat([
      query.subarray(0, 2),
      Buffer.from([0x81, 0x80, 0, 1, 0, isIpv4 ? 1 : 0, 0, 0, 0, 0]),
    ]);
    const record = Buffer.from([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 60, 0, 4, 127, 0, 0, 1]);
    socket.send(Buffer.concat([head, question, ...(isIpv4 ? [record] : [])]), port, address);
  });
  await new Promise<void>((bound) => socket.bind(0, "127.0.0.1", () => bound()));
  return socket.address().port;
}

const pipe = `${process.argv[2]}/pipe`;
setServers([`127.0.0.1:${await nameServer()}`]);
const server = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response() });
Bun.spawnSync(["mkfifo", pipe]);
// Nobody ever writes into the pipe: each thread that opens it waits.
for (let at = 0; at < 256; at++) void promises.readFile(pipe);
let isPacked = false;
gzip("text", () => (isPacked = true));
const post = { url: `http://hooks.example.com:${server.port}/`, secret: "s", id: "1", body: "{}" };
const options = { allowed: parseNetworks("loopback", "test"), resolve: systemResolve };
const outcome = await postWebhook(post, Date.now(), options).then(
  () => "sent",
  (error: Error) => error.message,
);
await Bun.write(Bun.stdout, JSON.stringify([outcome, isPacked]));
process.exit();
