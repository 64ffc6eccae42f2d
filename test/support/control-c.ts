/** A server at a terminal of its own, where somebody types control-C. */
import { join } from "node:path";
import { accountEnvironment } from "./server.ts";
import { until } from "./until.ts";

/**
 * Starts a server by a command, types control-C while it takes a request, so that it cannot end at once, and returns what the
 * terminal showed and the exit code.
 */
export async function endedByControlC(command: readonly string[], folder: string) {
  let shown = "";
  const decoder = new TextDecoder();
  const data = join(folder, "data");
  const child = Bun.spawn([...command, "--host", "127.0.0.1", "--port", "0", "--data", data], {
    cwd: folder,
    env: { PATH: process.env["PATH"] ?? "", HOME: process.env["HOME"] ?? "", ...accountEnvironment },
    terminal: { cols: 200, data: (_, bytes) => void (shown += decoder.decode(bytes, { stream: true })) },
  });
  try {
    const port = () => Number(/127\.0\.0\.1:(\d+)/.exec(shown)?.[1]);
    await until(
      () => port() > 0,
      () => `the server listens: ${shown}`,
    );
    let received = "";
    const socket = { data: (_: unknown, bytes: Uint8Array) => void (received += decoder.decode(bytes)) };
    const client = await Bun.connect({ hostname: "127.0.0.1", port: port(), socket });
    // Once the first request is answered, the head of the other is there.
    client.write(
      "GET /healthz HTTP/1.1\r\nhost: localhost\r\n\r\nPOST /event/hit HTTP/1.1\r\nhost: localhost\r\ncontent-length: 2\r\n\r\n{",
    );
    await until(() => received.includes("200 OK"), "the first request is answered");
    child.terminal?.write("\u0003");
    const exitCode = await child.exited;
    client.end();
    return { exitCode, shown };
  } finally {
    child.kill("SIGKILL");
    child.terminal?.close();
  }
}
