/** The command that asks the server of these settings whether it answers, as a container's health check does. */
import { Refusal } from "../../core/refusal.ts";
import type { Command } from "../command.ts";
import { serverUrl } from "../serving/server-url.ts";

const answerMsMax = 5_000;
/** The addresses that stand for all addresses of the machine. */
const loopbackOf: Readonly<Record<string, string>> = { "0.0.0.0": "127.0.0.1", "::": "::1" };

export const healthcheck: Command = {
  words: ["healthcheck"],
  exitCodes: { 0: "it answers", 1: "it does not" },
  settings: ["host", "port", "base", "tlsCert"],
  description:
    "Ask the server of --host, --port, --base and, if it speaks HTTPS itself, --tls-cert whether it answers",
  run: async ({ settings, terminal }) => {
    const { host, port } = settings;
    if (port === 0) throw new Refusal(400, "--port: expected the port that the server listens on, got 0");
    const base = serverUrl(settings, loopbackOf[host] ?? host, port);
    const url = `${base}/healthz`;
    // A proxy that the environment names must not stand between the server and its own machine.
    process.env["NO_PROXY"] = "*";
    const trouble = await troubleOf(url);
    if (trouble === undefined)
      terminal.print(`healthy: ${url} answers${await whyNotReady(`${base}/readyz`)}`);
    else terminal.print(`not healthy: ${url} ${trouble}`);
    return trouble === undefined ? 0 : 1;
  },
};

/** Returns why the server takes no hits, as the end of a line; nothing if it does. It is healthy then: a restart helps no disk. */
async function whyNotReady(url: string): Promise<string> {
  try {
    const answer = await asked(url);
    if (answer.ok) return "";
    const { error } = (await answer.json()) as { error: { message: string } };
    return `, but: ${error.message}`;
  } catch {
    return "";
  }
}

function asked(url: string): Promise<Response> {
  // The certificate names the server as others reach it.
  return fetch(url, { tls: { rejectUnauthorized: false }, signal: AbortSignal.timeout(answerMsMax) });
}

/** Returns what is wrong with the answer; undefined if it is right. */
async function troubleOf(url: string): Promise<string | undefined> {
  try {
    const answer = await asked(url);
    const { status } = (await answer.json()) as { status?: unknown };
    return answer.ok && status === "ok" ? undefined : `answers with status ${answer.status}`;
  } catch (error) {
    if (error instanceof SyntaxError) return "answers with something else: is it Footfall?";
    const { name, code = "" } = error as { name: string; code?: string };
    if (name === "TimeoutError") return `does not answer within ${answerMsMax / 1_000} s`;
    const byHttps =
      code === "ECONNRESET" && url.startsWith("http:") ? ": name --tls-cert if it speaks HTTPS" : "";
    return `cannot be reached (${code})${byHttps}`;
  }
}
