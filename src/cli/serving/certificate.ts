/**
 * The certificate with which the server speaks HTTPS itself: reads its two files, explains what is wrong with them, and
 * notices when they are others. Who renews the certificate replaces the files, and nothing else is needed.
 */
import { Refusal, shown } from "../../core/refusal.ts";
import type { Certificate } from "../../http/serve.ts";
import type { Logger } from "../../lib/log.ts";
import { readTextFile } from "../settings/secret-file.ts";
import type { Settings } from "../settings/settings.ts";

export interface CertificateFiles {
  readonly cert: string;
  readonly key: string;
}

/** Returns the files that the settings name; undefined for plain HTTP. Throws Refusal if they name one of the two. */
export function certificateFiles({ tlsCert, tlsKey }: Settings): CertificateFiles | undefined {
  if (tlsCert === undefined && tlsKey === undefined) return undefined;
  if (tlsCert === undefined)
    throw new Refusal(400, "--tls-cert or FOOTFALL_TLS_CERT is missing beside the key");
  if (tlsKey === undefined)
    throw new Refusal(400, "--tls-key or FOOTFALL_TLS_KEY is missing beside the certificate");
  return { cert: tlsCert, key: tlsKey };
}

/** Returns what is in the files. Throws Refusal naming the one that cannot be read. */
export function readCertificate({ cert, key }: CertificateFiles): Certificate {
  return { cert: readPem("FOOTFALL_TLS_CERT", cert), key: readPem("FOOTFALL_TLS_KEY", key) };
}

function readPem(source: string, path: string): string {
  const text = readTextFile(path, source);
  if (!text.includes("-----BEGIN ")) throw new Refusal(400, `${source}: ${shown(path)} is no PEM file`);
  return text;
}

const tlsHints: Readonly<Record<string, string>> = {
  ERR_OSSL_X509_KEY_VALUES_MISMATCH: "the key is not that of the certificate",
};

/** Returns a Refusal for the error that Bun throws if it cannot use a certificate; undefined for any other error. */
export function certificateRefusal(error: unknown, { cert, key }: CertificateFiles): Refusal | undefined {
  const { code } = error as { code?: unknown };
  if (typeof code !== "string" || !code.startsWith("ERR_OSSL")) return undefined;
  const hint = tlsHints[code] ?? "expected a certificate and its key without a password, both in PEM";
  return new Refusal(400, `cannot use the certificate ${shown(cert)} with ${shown(key)}: ${hint} (${code})`);
}

const lookEveryMs = 60_000;

/**
 * Looks every minute whether the files are others than those of `current`, and has them used. Files that cannot be used
 * are logged once, and the certificate before them stays. Returns a function that ends it.
 */
export function followCertificate(
  files: CertificateFiles,
  current: Certificate,
  use: (renewed: Certificate) => void,
  logger: Logger,
  everyMs = lookEveryMs,
): () => void {
  let [latest, trouble] = [current, ""];
  const look = () => {
    try {
      const found = readCertificate(files);
      const isChanged = found.cert !== latest.cert || found.key !== latest.key;
      if (isChanged) use(found);
      [latest, trouble] = [found, ""];
      if (isChanged) logger.info("uses the certificate of the changed files", { ...files });
    } catch (error) {
      const { message } = certificateRefusal(error, files) ?? (error as Error);
      if (message !== trouble) logger.warn(`keeps its certificate: ${message}`);
      trouble = message;
    }
  };
  const timer = setInterval(look, everyMs);
  return () => clearInterval(timer);
}
