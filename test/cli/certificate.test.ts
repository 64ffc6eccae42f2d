import { describe, expect, test } from "bun:test";
import { copyFileSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { certificateFiles, followCertificate, readCertificate } from "../../src/cli/serving/certificate.ts";
import { readSettings } from "../../src/cli/settings/settings.ts";
import { useFolder } from "../support/folder.ts";
import { linesOf } from "../support/log-lines.ts";
import { describeWith } from "../support/needs.ts";
import { refusalOf } from "../support/refusals.ts";
import { selfSigned } from "../support/self-signed.ts";
import { until } from "../support/until.ts";

const folder = useFolder();

const messageOf = async (work: () => unknown) => (await refusalOf(work)).message;

describe("the files of a certificate", () => {
  test("are two, or none", async () => {
    const files = (environment: Record<string, string>) => certificateFiles(readSettings({}, environment));
    expect(files({})).toBeUndefined();
    expect(files({ FOOTFALL_TLS_CERT: "a", FOOTFALL_TLS_KEY: "b" })).toEqual({ cert: "a", key: "b" });
    expect(await messageOf(() => files({ FOOTFALL_TLS_CERT: "a" }))).toContain("FOOTFALL_TLS_KEY is missing");
    expect(await messageOf(() => files({ FOOTFALL_TLS_KEY: "b" }))).toContain("FOOTFALL_TLS_CERT is missing");
  });

  test("that cannot be read, or are no PEM, are named", async () => {
    const text = join(folder, "text");
    writeFileSync(text, "no certificate");
    const missing = join(folder, "missing");
    const message = await messageOf(() => readCertificate({ cert: missing, key: text }));
    expect(message).toStartWith("FOOTFALL_TLS_CERT: cannot read ");
    expect(message).toEndWith("(ENOENT)");
    expect(await messageOf(() => readCertificate({ cert: text, key: text }))).toEndWith("is no PEM file");
  });
});

describeWith("openssl", "changed files", () => {
  test("are used; what cannot be used is logged once, and is not the end", async () => {
    const [first, second] = [selfSigned(join(folder, "first")), selfSigned(join(folder, "second"))];
    const files = selfSigned(join(folder, "live"));
    const put = ({ cert, key }: typeof files) => {
      copyFileSync(cert, files.cert);
      copyFileSync(key, files.key);
    };
    put(first);
    const { lines, logger } = linesOf();
    const used: string[] = [];
    const end = followCertificate(files, readCertificate(files), ({ cert }) => used.push(cert), logger, 1);
    put(second);
    await until(() => used.includes(readFileSync(second.cert, "utf8")), "the second certificate is used");
    rmSync(files.key);
    await until(() => lines.some((line) => line.includes("cannot read")), "the missing file is logged");
    put(first);
    await until(() => used.at(-1) === readFileSync(first.cert, "utf8"), "the first is used again");
    end();
    expect(lines.filter((line) => line.includes("keeps its certificate"))).toHaveLength(1);
  });
});
