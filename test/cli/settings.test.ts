import { describe, expect, test } from "bun:test";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { settingsHelp } from "../../src/cli/terminal/help.ts";
import { notifySettings } from "../../src/cli/settings/messages.ts";
import {
  firstAccount,
  readSettings,
  settingsTable,
  variablesOf,
  type SettingRow,
} from "../../src/cli/settings/settings.ts";
import { natsSettings } from "../../src/cli/cluster/settings.ts";
import { Refusal } from "../../src/core/refusal.ts";
import { clientAddress } from "../../src/http/callers/client-address.ts";
import { useFolder } from "../support/folder.ts";
import { run } from "../support/program.ts";
import { tidied, tidyPage } from "../support/readme.ts";
import { RecordedTerminal } from "../support/recorded-terminal.ts";

const folder = useFolder();

function messageOf(call: () => unknown): string {
  try {
    call();
  } catch (error) {
    expect(error).toBeInstanceOf(Refusal);
    return (error as Refusal).message;
  }
  throw new Error("nothing was refused");
}

test("a setting that does nothing without another one is refused without it", async () => {
  const rows = [
    { flags: ["--objects", folder], partner: "--nats" },
    { flags: ["--nats-replicas", "1"], partner: "--nats" },
    { flags: ["--nats-unsynced"], partner: "--nats" },
    { flags: ["--nats-ca", "a.pem"], partner: "--nats" },
    { flags: ["--backup-every", "12h"], partner: "--backup" },
    { flags: ["--backup-keep", "7"], partner: "--backup" },
    { flags: ["--mail-from", "stats@example.org"], partner: "--smtp or --smtp-file" },
  ];
  for (const { flags, partner } of rows) {
    const terminal = new RecordedTerminal();
    const data = join(folder, "none");
    expect(await run(["--data", data, "--port", "0", ...flags], {}, terminal)).toBe(2);
    expect(terminal.noted).toEqual([
      `footfall: ${partner} is missing beside ${flags[0]}, which does nothing without it`,
    ]);
    expect(existsSync(data)).toBe(false);
  }
});

describe("a mail server", () => {
  const from = {
    FOOTFALL_MAIL_FROM: "Statistics <stats@example.org>",
    FOOTFALL_URL: "https://stats.example.org/stats/",
  };
  const mailOf = (smtp: string) => notifySettings(readSettings({ smtp }, from)).mail;

  test("is a URL with a login that is percent-encoded; a password is said over TLS only, but to this machine", () => {
    expect(mailOf("smtp://ada:p%40ss%3Aword@mail.example.org")).toEqual({
      host: "mail.example.org",
      port: 587,
      secure: false,
      requireTls: true,
      login: { user: "ada", pass: "p@ss:word" },
      from: '"Statistics" <stats@example.org>',
    });
    expect(mailOf("smtps://ada:b@mail.example.org")).toMatchObject({
      port: 465,
      secure: true,
      requireTls: false,
    });
    expect(mailOf("smtp://ada:b@localhost:25")).toMatchObject({ port: 25, requireTls: false });
    expect(mailOf("smtp://[::1]:25")).toMatchObject({ host: "::1", login: undefined, requireTls: false });
  });

  test("has a name and a password, or neither", () => {
    for (const smtp of ["smtp://ada@mail.example.org", "smtps://:secret@mail.example.org"])
      expect(messageOf(() => mailOf(smtp))).toBe(
        "--smtp: expected smtp[s]://USER:PASSWORD@HOST:PORT, percent-encoded",
      );
  });

  test("comes from a file, and with all that a mail needs", () => {
    const path = join(folder, "smtp");
    writeFileSync(path, "smtp://ada:secret@mail.example.org\n");
    const settings = readSettings({ smtpFile: path }, from);
    expect(notifySettings(settings)).toMatchObject({
      url: "https://stats.example.org/stats",
      mail: { login: { pass: "secret" } },
      webhookNetworks: [],
    });
    for (const missing of ["FOOTFALL_MAIL_FROM", "FOOTFALL_URL"])
      expect(
        messageOf(() => notifySettings(readSettings({ smtpFile: path }, { ...from, [missing]: "" }))),
      ).toContain(missing);
    expect(notifySettings(readSettings({}, {})).mail).toBeUndefined();
  });

  test("needs an address below which the links in it lead somewhere", () => {
    const settingsOf = (url: string, base: string) => () => notifySettings(readSettings({ url, base }, {}));
    for (const [url, base] of [
      ["https://example.org", "/stats"],
      ["https://example.org/mystats", "/stats"],
      ["https://example.org/stats/a", "/stats"],
    ] as const)
      expect(messageOf(settingsOf(url, base))).toBe(
        `FOOTFALL_URL: expected an address that ends with /stats, the path of FOOTFALL_BASE, got "${url}"`,
      );
    for (const url of ["https://example.org/stats", "https://example.org/stats/"])
      expect(settingsOf(url, "/stats/")().url).toBe("https://example.org/stats");
    expect(settingsOf("https://example.org/", "/")().url).toBe("https://example.org");
  });

  test("is refused without a word of its password", () => {
    for (const smtp of [
      "http://ada:secret@a.example",
      "smtp://ada:secret",
      "smtp://ada:secret%@a.example",
      "smtp://ada:secret@a:99999",
    ])
      expect(messageOf(() => mailOf(smtp))).not.toContain("secret");
    for (const sender of ["ada", 'A "x" <a@example.org>', "<a@example.org>, <b@example.org>"])
      expect(messageOf(() => readSettings({ mailFrom: sender }, {}))).toContain("--mail-from");
  });
});

describe("the servers of NATS", () => {
  const natsOf = (nats: string, more = {}) => natsSettings(readSettings({ nats }, more));

  test("are none on a single machine, and else a list with one login and the files of TLS", () => {
    expect(natsSettings(readSettings({}, {}))).toBeUndefined();
    expect(natsOf("nats://a, b:4333,nats://[::1]")).toMatchObject({
      servers: ["a", "b:4333", "[::1]"],
      isEncrypted: false,
      prefix: "footfall",
      replicas: 3,
    });
    const login = natsOf("tls://ada:p%40ss@a,tls://b", {
      FOOTFALL_NATS_CA: "ca.pem",
      FOOTFALL_NATS_REPLICAS: "1",
    });
    expect(login).toMatchObject({ user: "ada", pass: "p@ss", isEncrypted: true, ca: "ca.pem", replicas: 1 });
    expect(natsOf("nats://secret@a")).toMatchObject({ token: "secret" });
  });

  test("are refused without a word of the password, and with half of a pair", () => {
    for (const nats of [
      "http://ada:secret@a",
      "nats://ada:secret@",
      "nats://a:secret",
      "nats://secret%@a",
      "nats://a,,",
    ])
      expect(messageOf(() => natsOf(nats))).not.toContain("secret");
    expect(messageOf(() => natsOf("nats://ada:x@a,nats://bob:x@b"))).toContain("one login");
    expect(messageOf(() => natsOf("nats://a", { FOOTFALL_NATS_CERT: "c" }))).toContain("FOOTFALL_NATS_KEY");
    expect(messageOf(() => natsOf("nats://a", { FOOTFALL_NATS_KEY: "k" }))).toContain("FOOTFALL_NATS_CERT");
    expect(messageOf(() => natsOf("nats://t@a", { FOOTFALL_NATS_CREDENTIALS: "c" }))).toContain(
      "one of them",
    );
    expect(messageOf(() => natsOf("nats://a", { FOOTFALL_NATS_REPLICAS: "2" }))).toContain("1, 3 or 5");
    expect(messageOf(() => natsOf("nats://a", { FOOTFALL_NATS_PREFIX: "a.b" }))).toContain(
      "FOOTFALL_NATS_PREFIX",
    );
  });
});

describe("readSettings", () => {
  test("without anything takes the defaults", () => {
    const { trustProxy, ...settings } = readSettings({}, {});
    expect(settings).toEqual({
      host: "0.0.0.0",
      port: 8080,
      base: "",
      tlsCert: undefined,
      tlsKey: undefined,
      folder: "snapshots",
      adminUsername: undefined,
      adminPassword: undefined,
      adminPasswordFile: undefined,
      logLevel: "info",
      logFormat: undefined,
      demo: false,
      scriptName: undefined,
      retention: undefined,
      rows: undefined,
      memory: undefined,
      names: undefined,
      loadsPerNetwork: 100,
      backup: undefined,
      backupEvery: 86_400_000,
      backupKeep: 30,
      objects: undefined,
      metricsToken: undefined,
      url: undefined,
      smtp: undefined,
      smtpFile: undefined,
      mailFrom: undefined,
      webhookNetworks: undefined,
      nats: undefined,
      natsCredentials: undefined,
      natsCa: undefined,
      natsCert: undefined,
      natsKey: undefined,
      natsReplicas: 3,
      natsPrefix: "footfall",
      natsMonitors: undefined,
      natsUnsynced: false,
    });
    expect(clientAddress("127.0.0.1", "192.0.2.7", trustProxy)).toBe("192.0.2.7");
    expect(clientAddress("::1", "192.0.2.7", trustProxy)).toBe("192.0.2.7");
    expect(clientAddress("10.0.0.1", "192.0.2.7", trustProxy)).toBe("10.0.0.1");
  });

  test("a flag wins over the environment, FOOTFALL_PORT over PORT", () => {
    expect(readSettings({ port: "1" }, { FOOTFALL_PORT: "2", PORT: "3" }).port).toBe(1);
    expect(readSettings({}, { FOOTFALL_PORT: "2", PORT: "3" }).port).toBe(2);
    expect(readSettings({}, { PORT: "3" }).port).toBe(3);
  });

  test("an empty variable counts as none", () => {
    const { port, host, demo } = readSettings(
      {},
      { FOOTFALL_PORT: "", PORT: "3", FOOTFALL_HOST: "", FOOTFALL_DEMO: "" },
    );
    expect({ port, host, demo }).toEqual({ port: 3, host: "0.0.0.0", demo: false });
  });

  test("a bad value names where it came from, what came and what was expected", () => {
    const refused = (environment: Record<string, string>) => messageOf(() => readSettings({}, environment));
    expect(refused({ FOOTFALL_PORT: "80a" })).toBe(
      'FOOTFALL_PORT: expected a number from 0 to 65535, got "80a"',
    );
    expect(refused({ PORT: "65536" })).toBe('PORT: expected a number from 0 to 65535, got "65536"');
    expect(refused({ FOOTFALL_PORT: "-1" })).toContain('got "-1"');
    expect(refused({ FOOTFALL_PORT: "1e3" })).toContain('got "1e3"');
    expect(refused({ FOOTFALL_DEMO: "yes" })).toBe('FOOTFALL_DEMO: expected true, false, 1 or 0, got "yes"');
    expect(refused({ FOOTFALL_LOG_LEVEL: "loud" })).toContain(
      "FOOTFALL_LOG_LEVEL: expected debug, info, warn, error",
    );
    expect(refused({ FOOTFALL_LOG_FORMAT: "xml" })).toContain("FOOTFALL_LOG_FORMAT: expected text, json");
    expect(refused({ FOOTFALL_TRUST_PROXY: "10.0.0.0/33" })).toContain("FOOTFALL_TRUST_PROXY");
    expect(messageOf(() => readSettings({ port: "x" }, {}))).toBe(
      '--port: expected a number from 0 to 65535, got "x"',
    );
  });

  test.each([
    ["true", true],
    ["1", true],
    ["TRUE", true],
    ["false", false],
    ["0", false],
  ])("demo %p is %p", (text, demo) => {
    expect(readSettings({ demo: text }, {}).demo).toBe(demo);
  });
});

describe("the tracker's name", () => {
  test.each(["stats.js", "a-b_c.1.js", "SCRIPT.js", "script.js"])("may be %s", (name) => {
    expect(readSettings({ scriptName: name }, {}).scriptName).toBe(name);
  });

  test.each([
    ".js",
    "stats",
    "../x.js",
    "a/b.js",
    ".x.js",
    "a b.js",
    `${"a".repeat(101)}.js`,
    "x.js\n",
    '"x.js',
  ])("may not be %p", (name) => {
    expect(messageOf(() => readSettings({}, { FOOTFALL_SCRIPT_NAME: name }))).toStartWith(
      "FOOTFALL_SCRIPT_NAME: expected a file name such as stats.js, got ",
    );
  });
});

describe("the base", () => {
  const base = (FOOTFALL_BASE: string) => readSettings({}, { FOOTFALL_BASE }).base;

  test.each([
    ["/stats", "/stats"],
    ["/stats/", "/stats"],
    ["/a/b.c_d~e-f", "/a/b.c_d~e-f"],
    ["/", ""],
    ["", ""],
  ])("%p is %p", (text, expected) => {
    expect(base(text)).toBe(expected);
  });

  test.each(["stats", "//", "/a//b", "/..", "/a/./b", "/a b", '/"', "/a?b", "/%61", "/:a", "/*", "/a\n"])(
    "%p is refused",
    (text) => {
      expect(messageOf(() => base(text))).toStartWith("FOOTFALL_BASE: expected a path such as /stats, got ");
    },
  );
});

describe("retention", () => {
  const months = (FOOTFALL_RETENTION: string) => readSettings({}, { FOOTFALL_RETENTION }).retention;

  test.each([
    ["24 months", 24],
    ["1 month", 1],
    ["24months", 24],
    ["2 years", 24],
    ["1 Year", 12],
    ["9999 years", 119_988],
    ["", undefined],
  ])("%p is %p months", (text, expected) => {
    expect(months(text)).toBe(expected as number);
  });

  test.each(["24", "0 months", "-1 months", "1.5 years", "90 days", "for ever", "024 months", "10000 years"])(
    "%p is refused",
    (text) => {
      expect(messageOf(() => months(text))).toBe(
        `FOOTFALL_RETENTION: expected a time such as 24 months or 2 years, got "${text}"`,
      );
    },
  );
});

describe("the time between backups", () => {
  const everyMs = (FOOTFALL_BACKUP_EVERY: string) => readSettings({}, { FOOTFALL_BACKUP_EVERY }).backupEvery;

  test.each([
    ["1d", 86_400_000],
    ["1 day", 86_400_000],
    ["30m", 1_800_000],
    ["90 minutes", 5_400_000],
    ["12H", 43_200_000],
    ["2 weeks", 1_209_600_000],
  ])("%p is %p milliseconds", (text, expected) => expect(everyMs(text)).toBe(expected));

  test.each(["1", "0d", "1.5d", "1 month", "daily", "10000d", "1s"])("%p is refused", (text) => {
    expect(messageOf(() => everyMs(text))).toBe(
      `FOOTFALL_BACKUP_EVERY: expected a time such as 12h, 1d or 2 weeks, got "${text}"`,
    );
  });
});

describe("memory", () => {
  const bytes = (FOOTFALL_MEMORY: string) => readSettings({}, { FOOTFALL_MEMORY }).memory;

  test.each([
    ["512MB", 512_000_000],
    ["1 GiB", 1_073_741_824],
    ["64mib", 67_108_864],
    ["2GB", 2_000_000_000],
    ["1000000", 1_000_000],
    ["", undefined],
  ])("%p is %p bytes", (text, expected) => {
    expect(bytes(text)).toBe(expected as number);
  });

  test.each([
    "0",
    "1",
    "20kB",
    "999999",
    "512M",
    "1.5GB",
    "-1",
    "half",
    "1e9",
    "99999999999999GiB",
    "MB",
    "1 GB and more",
    "0x10",
  ])("%p is refused", (text) => {
    expect(messageOf(() => bytes(text))).toBe(
      `FOOTFALL_MEMORY: expected a size such as 512MB or 2GiB, or as many bytes, 1MB at least, got "${text}"`,
    );
  });
});

describe("metricsToken", () => {
  test.each(["short", "with a space in between", "é".repeat(20), "x".repeat(201)])(
    "%p is refused, and not shown",
    (text) => {
      const message = messageOf(() => readSettings({ metricsToken: text }, {}));
      expect(message).toBe("--metrics-token: expected 16 to 200 characters without spaces");
    },
  );
});

describe("firstAccount", () => {
  const account = (environment: Record<string, string>) => firstAccount(readSettings({}, environment));

  test("comes from a name and a password", () => {
    expect(account({})).toBeUndefined();
    expect(account({ FOOTFALL_ADMIN_USERNAME: "ada", FOOTFALL_ADMIN_PASSWORD: "lovelace" })).toEqual({
      username: "ada",
      password: "lovelace",
    });
  });

  test("or from a name and a file, whose line feed does not belong to the password", () => {
    const path = join(folder, "password");
    writeFileSync(path, " love lace \n");
    expect(account({ FOOTFALL_ADMIN_USERNAME: "ada", FOOTFALL_ADMIN_PASSWORD_FILE: path })?.password).toBe(
      " love lace ",
    );
  });

  test("half of one is refused, and the password is not in the message", () => {
    const secret = messageOf(() => account({ FOOTFALL_ADMIN_PASSWORD: "lovelace" }));
    expect(secret).toContain("FOOTFALL_ADMIN_USERNAME is missing");
    expect(secret).not.toContain("lovelace");
    expect(messageOf(() => account({ FOOTFALL_ADMIN_USERNAME: "ada" }))).toContain("FOOTFALL_ADMIN_PASSWORD");
    const path = join(folder, "missing");
    const environment = { FOOTFALL_ADMIN_USERNAME: "ada", FOOTFALL_ADMIN_PASSWORD_FILE: path };
    expect(messageOf(() => account(environment))).toContain("(ENOENT)");
  });
});

describe("the table of settings", () => {
  const rows: readonly SettingRow<unknown>[] = Object.values(settingsTable);

  test("no flag and no variable is there twice", () => {
    const flags = rows.map(({ flag }) => flag);
    const variables = rows.flatMap(variablesOf);
    expect(new Set(flags).size).toBe(flags.length);
    expect(new Set(variables).size).toBe(variables.length);
  });

  test("every default is a value that its own parser takes", () => {
    for (const { fallback, parse } of rows)
      if (fallback !== undefined) expect(() => parse?.(fallback, "default")).not.toThrow();
  });

  test("says where a secret that is given as a flag is seen by others", () => {
    const told = rows.filter(({ description }) =>
      description.includes("other users of the machine can see a flag"),
    );
    expect(told.map(({ flag }) => flag).toSorted()).toEqual([
      "admin-password",
      "metrics-token",
      "nats",
      "smtp",
    ]);
  });

  test("stands in docs/settings.md as it is here", async () => {
    const cell = (text: string) => text.replaceAll("|", "\\|");
    const row = (...cells: string[]) => `| ${cells.map(cell).join(" | ")} |`;
    const code = (text: string) => text && `\`${text}\``;
    const table = [
      row("flag", "variable", "default", "what it does"),
      "| --- | --- | --- | --- |",
      ...settingsHelp.map(({ flag, variables, fallback, description }) =>
        row(code(flag), variables.split(", ").map(code).join(", "), fallback, description),
      ),
    ].join("\n");
    expect(await tidyPage("docs/settings.md")).toContain(tidied(table));
  });
});
