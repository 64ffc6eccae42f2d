/** Bodies in chunks, over real connections: what it costs a server to read them. */
import type { Socket } from "bun";
import { cpuMs } from "./cpu-time.ts";

const head = "POST / HTTP/1.1\r\nhost: a\r\ntransfer-encoding: chunked\r\nconnection: close\r\n\r\n";
const bodies = 20;

/** The work to read some bodies in a piece each, and as many in chunks of a byte. `read` reads one, and returns its length. */
export async function chunkedBodiesMs(read: (request: Request) => Promise<number>, text: string) {
  const fetch = async (request: Request) => new Response(String(await read(request)));
  const server = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch });
  const msOf = async (chunks: readonly string[]) => {
    const parts = chunks.map((chunk) => `${chunk.length.toString(16)}\r\n${chunk}\r\n`);
    const request = Buffer.from(`${head}${parts.join("")}0\r\n\r\n`);
    const beganMs = cpuMs();
    for (let body = 0; body < bodies; body++) {
      const answer = await answered(server.port as number, request);
      if (!answer.endsWith(`\r\n\r\n${text.length}`)) throw new Error(`it was answered ${answer}`);
    }
    return cpuMs() - beganMs;
  };
  try {
    await msOf([text]);
    return { wholeMs: await msOf([text]), inBytesMs: await msOf([...text]) };
  } finally {
    await server.stop(true);
  }
}

/** Sends the bytes over a connection of their own, and returns all that came back. */
async function answered(port: number, bytes: Buffer): Promise<string> {
  const closed = Promise.withResolvers<string>();
  let [answer, left] = ["", bytes];
  const send = (socket: Socket) => void (left = left.subarray(Math.max(0, socket.write(left))));
  const data = (_: Socket, came: Buffer) => void (answer += came.toString());
  const close = () => closed.resolve(answer);
  await Bun.connect({ hostname: "127.0.0.1", port, socket: { open: send, drain: send, data, close } });
  return closed.promise;
}
