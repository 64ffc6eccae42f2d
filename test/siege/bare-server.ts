/**
 * `bun test/siege/bare-server.ts`: Bun's own server with nothing behind it, and the timeout of ours. It prints its port, and
 * shows which part of an attack's effect is Bun's.
 */
import { idleTimeoutS } from "../../src/http/transport/silence.ts";

const answer = JSON.stringify({ accepted: true });

const server = Bun.serve({
  hostname: "127.0.0.1",
  port: 0,
  idleTimeout: idleTimeoutS,
  fetch: async (request) => {
    await request.text();
    return new Response(answer, { headers: { "content-type": "application/json" } });
  },
});
console.log(server.port);
