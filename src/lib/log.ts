/**
 * The program's messages to its operator: one line an event, as text on a terminal and as JSON elsewhere. Messages never
 * contain an address or a raw user agent.
 */
export const logLevels = ["debug", "info", "warn", "error"] as const;
export type LogLevel = (typeof logLevels)[number];
export const logFormats = ["text", "json"] as const;
export type LogFormat = (typeof logFormats)[number];
export type LogFields = Readonly<Record<string, string | number | boolean>>;

export interface Logger {
  debug(message: string, fields?: LogFields): void;
  info(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  error(message: string, fields?: LogFields): void;
}

export interface LoggerOptions {
  readonly level: LogLevel;
  readonly format: LogFormat;
  readonly nowMs: () => number;
  /** Writes one finished line, given without its line feed. */
  readonly write: (line: string) => void;
}

export function createLogger({ level, format, nowMs, write }: LoggerOptions): Logger {
  const threshold = logLevels.indexOf(level);
  const emit = (at: LogLevel, message: string, fields: LogFields = {}) => {
    if (logLevels.indexOf(at) < threshold) return;
    const time = new Date(nowMs()).toISOString();
    write(
      format === "json"
        ? JSON.stringify({ time, level: at, message, ...fields })
        : textLine(time, at, message, fields),
    );
  };
  return {
    debug: (message, fields) => emit("debug", message, fields),
    info: (message, fields) => emit("info", message, fields),
    warn: (message, fields) => emit("warn", message, fields),
    error: (message, fields) => emit("error", message, fields),
  };
}

/** A logger that writes nothing, for commands that print their own report. */
export const silentLogger: Logger = { debug() {}, info() {}, warn() {}, error() {} };

function textLine(time: string, level: LogLevel, message: string, fields: LogFields): string {
  const pairs = Object.entries(fields).map(([name, value]) => ` ${name}=${printable(value)}`);
  return `${time.slice(11, 19)} ${level.padEnd(5)} ${message}${pairs.join("")}`;
}

function printable(value: string | number | boolean): string {
  const text = String(value);
  return /[\s"=]/.test(text) ? JSON.stringify(text) : text;
}
