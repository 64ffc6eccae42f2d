import { describe, expect, test } from "bun:test";
import {
  createLogger,
  logFormats,
  logLevels,
  silentLogger,
  type LogFormat,
  type LogLevel,
} from "../../src/lib/log.ts";

function logged(level: LogLevel, format: LogFormat) {
  const lines: string[] = [];
  const nowMs = () => Date.UTC(2026, 2, 29, 12, 34, 56, 789);
  return { lines, logger: createLogger({ level, format, nowMs, write: (line) => lines.push(line) }) };
}

describe("createLogger", () => {
  test.each([...logLevels.entries()])(
    "level %i (%s) and above are written, nothing below",
    (index, level) => {
      const { lines, logger } = logged(level, "json");
      for (const each of logLevels) logger[each](each);
      expect(lines.map((line) => JSON.parse(line).message)).toEqual(logLevels.slice(index));
    },
  );

  test("JSON is one object a line, with time, level, message and fields", () => {
    const { lines, logger } = logged("info", "json");
    logger.warn("two\nlines", { path: "/a b", count: 3, ok: true });
    expect(lines).toHaveLength(1);
    expect(lines[0]).not.toContain("\n");
    expect(JSON.parse(lines[0] as string)).toEqual({
      time: "2026-03-29T12:34:56.789Z",
      level: "warn",
      message: "two\nlines",
      path: "/a b",
      count: 3,
      ok: true,
    });
  });

  test("text has the time of day, and quotes what would read as two fields", () => {
    const { lines, logger } = logged("info", "text");
    logger.info("listening", { port: 8080, path: "/a b", odd: 'x="y"', line: "1\n2", plain: "z" });
    expect(lines).toEqual([
      '12:34:56 info  listening port=8080 path="/a b" odd="x=\\"y\\"" line="1\\n2" plain=z',
    ]);
  });

  test("every format is one line for every level", () => {
    for (const format of logFormats) {
      const { lines, logger } = logged("debug", format);
      for (const level of logLevels) logger[level]("said", { level });
      expect(lines).toHaveLength(logLevels.length);
    }
  });
});

test("the silent logger takes everything", () => {
  for (const level of logLevels) expect(silentLogger[level]("nothing", { at: 1 })).toBeUndefined();
});
