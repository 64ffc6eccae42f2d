/** The address of a server with given settings. */
import type { Settings } from "../settings/settings.ts";

/** Returns the address under a name of the server's machine, without a slash at its end. */
export function serverUrl({ tlsCert, base }: Settings, host: string, port: number): string {
  const scheme = tlsCert === undefined ? "http" : "https";
  return `${scheme}://${host.includes(":") ? `[${host}]` : host}:${port}${base}`;
}
