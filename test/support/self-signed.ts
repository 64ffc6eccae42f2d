/** Certificates for this machine that nobody has signed but themselves, made by openssl. */
import { mkdirSync } from "node:fs";
import { join } from "node:path";

/** Writes `cert.pem` and `key.pem` into a new folder, and returns their paths. */
export function selfSigned(folder: string): { cert: string; key: string } {
  mkdirSync(folder);
  const [cert, key] = [join(folder, "cert.pem"), join(folder, "key.pem")];
  const curve = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"];
  const names = ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1"];
  const command = ["openssl", "req", "-x509", ...curve, "-days", "2", ...names, "-keyout", key, "-out", cert];
  const { success, stderr } = Bun.spawnSync(command);
  if (!success) throw new Error(`openssl failed: ${stderr.toString()}`);
  return { cert, key };
}
