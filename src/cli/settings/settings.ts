/**
 * The table of settings. Flags, environment variables, the help text and docs/settings.md follow from it. A flag
 * takes precedence over the environment, and the environment over the default; an empty value counts as none.
 */
import { parsePassword } from "../../accounts/login/password.ts";
import { parseUsername } from "../../accounts/username.ts";
import { parseNetworks } from "../../http/callers/client-address.ts";
import { logFormats, logLevels } from "../../lib/log.ts";
import { clusterSettings } from "../cluster/settings.ts";
import { messageSettings } from "./messages.ts";
import { readSecretFile } from "./secret-file.ts";
import {
  oneOf,
  parseBase,
  parseBytes,
  parseCount,
  parseInterval,
  parseMonths,
  parsePort,
  parseScriptName,
  parseSwitch,
  parseToken,
  refused,
  type ValuesOf,
} from "./values.ts";

/** The environment variables by name. */
export type Environment = Readonly<Record<string, string | undefined>>;

export interface SettingRow<T> {
  /** The flag without its two dashes. Its environment variable has the same words: log-level is FOOTFALL_LOG_LEVEL. */
  readonly flag: string;
  /** One more variable, which counts where that one has no value. */
  readonly otherVariable?: string;
  /** The word for the value in the help; missing for a switch, which has no value. */
  readonly placeholder?: string;
  /** The default, parsed as if it had been given; without one the setting is undefined. */
  readonly fallback?: string;
  /** The default in the words of the help, if it differs from `fallback`. */
  readonly fallbackText?: string;
  readonly description: string;
  /** Parses the value; without it, it is a text. `source` is its flag or variable. Throws Refusal. */
  readonly parse?: (text: string, source: string) => T;
}

export const settingsTable = {
  host: {
    flag: "host",
    placeholder: "ADDRESS",
    fallback: "0.0.0.0",
    description: "Address to listen on",
    // In URLs an IPv6 address has brackets: [::1] is ::1.
    parse: (text) => text.replace(/^\[(.*)\]$/, "$1"),
  },
  port: {
    flag: "port",
    otherVariable: "PORT",
    placeholder: "NUMBER",
    fallback: "8080",
    description: "Port to listen on; 0 takes a free one",
    parse: parsePort,
  },
  base: {
    flag: "base",
    placeholder: "PATH",
    fallback: "/",
    description: "Path below which everything is, for a proxy that passes it on: /stats",
    parse: parseBase,
  },
  tlsCert: {
    flag: "tls-cert",
    placeholder: "FILE",
    description: "Certificate chain (PEM) with which the server speaks HTTPS itself",
  },
  tlsKey: {
    flag: "tls-key",
    placeholder: "FILE",
    description: "Private key (PEM) of the certificate",
  },
  folder: {
    flag: "data",
    placeholder: "FOLDER",
    fallback: "snapshots",
    description: "Folder that holds all data",
  },
  adminUsername: {
    flag: "admin-username",
    placeholder: "NAME",
    description: "Name of the first account, created at the start if there is none",
  },
  adminPassword: {
    flag: "admin-password",
    placeholder: "PASSWORD",
    description: "Password of the first account; other users of the machine can see a flag, not the file",
  },
  adminPasswordFile: {
    flag: "admin-password-file",
    placeholder: "FILE",
    description: "File with the password of the first account",
  },
  logLevel: {
    flag: "log-level",
    placeholder: logLevels.join("|"),
    fallback: "info",
    description: "Least severe level of messages to log",
    parse: oneOf(logLevels),
  },
  logFormat: {
    flag: "log-format",
    placeholder: logFormats.join("|"),
    fallbackText: "text on a terminal, else json",
    description: "Format of log lines",
    parse: oneOf(logFormats),
  },
  trustProxy: {
    flag: "trust-proxy",
    placeholder: "LIST",
    fallback: "loopback",
    description: "Addresses and networks whose X-Forwarded-For is believed, comma-separated",
    parse: parseNetworks,
  },
  demo: {
    flag: "demo",
    fallback: "false",
    description: "Demo mode: refuse every change to accounts, websites and settings",
    parse: parseSwitch,
  },
  scriptName: {
    flag: "script-name",
    placeholder: "NAME.js",
    fallbackText: "script.js",
    description: "Additional file name of the tracker, because blockers know the usual ones",
    parse: parseScriptName,
  },
  retention: {
    flag: "retention",
    placeholder: "TIME",
    fallbackText: "forever",
    description: "Delete statistics older than this, in whole UTC months: 24 months, 2 years",
    parse: parseMonths,
  },
  rows: {
    flag: "rows",
    placeholder: "TIME",
    fallbackText: "forever",
    description: "Keep single page views so long, and only sums of older UTC months: 25 months",
    parse: parseMonths,
  },
  memory: {
    flag: "memory",
    placeholder: "SIZE",
    fallbackText: "half of the machine's",
    description: "Memory for caches and mapped files of answers; also bounds connections: 2GiB",
    parse: parseBytes,
  },
  names: {
    flag: "names",
    placeholder: "SIZE",
    fallbackText: "1/16 of the machine's",
    description: "Memory for names of all websites, such as paths: 64MB",
    parse: parseBytes,
  },
  loadsPerNetwork: {
    flag: "loads-per-network",
    placeholder: "NUMBER",
    fallback: "100",
    description: "Page loads a second of one network (/24, IPv6 /48) that are counted",
    parse: parseCount,
  },
  backup: {
    flag: "backup",
    placeholder: "FOLDER|s3://BUCKET",
    fallbackText: "none",
    description: "Place for backups that the server makes itself",
  },
  backupEvery: {
    flag: "backup-every",
    placeholder: "TIME",
    fallback: "1d",
    description: "Time from one of these backups to the next: 12h, 1d, 2 weeks",
    parse: parseInterval,
  },
  backupKeep: {
    flag: "backup-keep",
    placeholder: "NUMBER",
    fallback: "30",
    description: "Backups that stay; older ones of this data folder are removed",
    parse: parseCount,
  },
  metricsToken: {
    flag: "metrics-token",
    placeholder: "TOKEN",
    description: "Secret for a monitoring system at /metrics; other users of the machine can see a flag",
    parse: parseToken,
  },
  ...messageSettings,
  ...clusterSettings,
} as const satisfies Record<string, SettingRow<unknown>>;

export type SettingName = keyof typeof settingsTable;
export type Settings = ValuesOf<typeof settingsTable>;
/** The text of each flag that was given. */
export type Flags = Partial<Record<SettingName, string>>;

/** Reads all settings. Throws Refusal naming the flag or the variable, what was given and what was expected. */
export function readSettings(flags: Flags, environment: Environment): Settings {
  const names = Object.keys(settingsTable) as SettingName[];
  return Object.fromEntries(names.map((name) => [name, readSetting(name, flags, environment)])) as Settings;
}

/** Returns the settings that all nodes of a cluster should have alike, as texts by flag. None of them is a secret. */
export function settingsOfAll(settings: Settings): Readonly<Record<string, string>> {
  const names = [
    "base",
    "demo",
    "loadsPerNetwork",
    "mailFrom",
    "retention",
    "scriptName",
    "trustProxy",
    "url",
    "webhookNetworks",
  ] as const satisfies SettingName[];
  const smtp = String((settings.smtp ?? settings.smtpFile) !== undefined);
  // One folder may have another path on each machine.
  const { objects: place } = settings;
  const objects = place?.startsWith("s3:") ? place.replace(/\/+$/, "") : String(place !== undefined);
  // Addresses are BigInts, which JSON does not have.
  const textOf = (value: unknown) =>
    JSON.stringify([value], (_, part: unknown) => (typeof part === "bigint" ? String(part) : part));
  return {
    ...Object.fromEntries(names.map((name) => [settingsTable[name].flag, textOf(settings[name])])),
    smtp,
    objects,
  };
}

function readSetting(name: SettingName, flags: Flags, environment: Environment): unknown {
  const row: SettingRow<unknown> = settingsTable[name];
  const { flag, fallback, parse = (text) => text } = row;
  const given = flags[name];
  if (given) return parse(given, `--${flag}`);
  const variable = variablesOf(row).find((key) => environment[key]);
  if (variable !== undefined) return parse(environment[variable]!, variable);
  return fallback === undefined ? undefined : parse(fallback, name);
}

/** Returns the environment variables of a setting; the first that has a value counts. */
export function variablesOf({ flag, otherVariable }: SettingRow<unknown>): string[] {
  const own = `FOOTFALL_${flag.toUpperCase().replaceAll("-", "_")}`;
  return otherVariable === undefined ? [own] : [own, otherVariable];
}

/**
 * Returns the first account that the settings name; undefined if they name none. Throws Refusal if they name half of
 * one, or one that cannot be.
 */
export function firstAccount({ adminUsername, adminPassword, adminPasswordFile }: Settings) {
  const password =
    adminPassword ?? (adminPasswordFile && readSecretFile(adminPasswordFile, "FOOTFALL_ADMIN_PASSWORD_FILE"));
  if (adminUsername === undefined && password === undefined) return undefined;
  if (adminUsername === undefined) throw refused("FOOTFALL_ADMIN_USERNAME is missing beside the password");
  if (password === undefined)
    throw refused("FOOTFALL_ADMIN_PASSWORD or FOOTFALL_ADMIN_PASSWORD_FILE is missing beside the name");
  return { username: parseUsername(adminUsername), password: parsePassword(password) };
}
