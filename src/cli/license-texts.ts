/**
 * Reads the licences of all that the executable contains: of Footfall, of Bun, and of every package that is bundled.
 * It runs as a macro, when the code is bundled or loaded: the texts become part of the program.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { embed, type Embedded } from "../core/embedded.ts";

/** A program, a package or data that is in the executable. */
export interface LicensedPart {
  readonly name: string;
  readonly version: string;
  /** The whole text of its licence, and before it a line of ours where there is something to say about it. */
  readonly text: string;
}

/** The packages that the bundler puts into the executable. Exported for tests, which ask the bundler. */
export const bundledPackages: readonly string[] = [
  "@nats-io/jetstream",
  "@nats-io/kv",
  "@nats-io/nats-core",
  "@nats-io/nkeys",
  "@nats-io/nuid",
  "@nats-io/transport-node",
  "@preact/signals",
  "@preact/signals-core",
  "@sinclair/typebox",
  "cookie",
  "country-flag-icons",
  "elysia",
  "exact-mirror",
  "fast-decode-uri-component",
  "isbot",
  "memoirist",
  "msgpackr",
  "nodemailer",
  "preact",
  "tweetnacl",
  "ua-parser-js",
  "uqr",
  "world-atlas",
];

const root = join(import.meta.dir, "..", "..");

/** Throws if a part has no licence: then neither a build nor a start succeeds. Exported for tests. */
export function licensedParts(): LicensedPart[] {
  const modules = join(root, "node_modules");
  const packages = bundledPackages.map((name) => licensedPackage(modules, name));
  return [{ ...licensedPart(root), name: "Footfall" }, bun(modules), ...packages, ...data()];
}

export function embeddedParts(): Embedded<LicensedPart[]> {
  return embed(licensedParts());
}

/** Returns the package of that name in `modules`, a folder such as node_modules. Exported for tests. */
export function licensedPackage(modules: string, name: string): LicensedPart {
  return licensedPart(join(modules, name));
}

function licensedPart(folder: string): LicensedPart {
  const { name, version } = packageFileOf(folder);
  const file = readdirSync(folder).find((other) => /^licen[sc]e(\.(md|txt))?$/i.test(other));
  const text = file === undefined ? "" : readFileSync(join(folder, file), "utf8").trim();
  if (text === "") throw new Error(`the package ${name} ${version} has no text of a licence`);
  return { name, version, text };
}

function packageFileOf(folder: string): { readonly name: string; readonly version: string } {
  return JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
}

/** Bun's package has no file of a licence, but the documentation in that of its types has a page about it. */
function bun(modules: string): LicensedPart {
  const { version } = packageFileOf(join(modules, "bun"));
  const page = readFileSync(join(modules, "bun-types", "docs", "project", "license.mdx"), "utf8");
  const source = `https://github.com/oven-sh/bun/blob/bun-v${version}/LICENSE.md`;
  const text = `Bun's package brings no text of a licence. This is the page about it in its documentation.
The licences of the libraries that it names are behind its links. The original is
${source}

${page.replace(/^---\n[^]*?\n---\n/, "").trim()}`;
  return { name: "Bun", version, text };
}

/** Returns the data of others that the source of Footfall, or the package of somebody else, contains. */
function data(): LicensedPart[] {
  return [
    {
      name: "Natural Earth",
      version: "4.1.0",
      text: "The outlines of the countries, by way of world-atlas. Public domain: https://www.naturalearthdata.com/about/terms-of-use/",
    },
    {
      name: "Simple Icons",
      version: "16.37.0",
      text: "The marks of some browsers and systems, which are trademarks of their owners. CC0 1.0 Universal: https://creativecommons.org/publicdomain/zero/1.0/",
    },
    {
      name: "Matomo referrer-spam-list",
      version: "2026-08-20",
      text: "Some of its hosts. Public domain: https://github.com/matomo-org/referrer-spam-list",
    },
    {
      name: "IANA Time Zone Database",
      version: "2025b",
      text: "The country of each time zone. Public domain: https://www.iana.org/time-zones",
    },
  ];
}
