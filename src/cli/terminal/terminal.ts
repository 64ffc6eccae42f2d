/** The terminal of a command: answers go to standard output, everything else to standard error, also the lines of a log. */
import type { ReadStream } from "node:tty";
import { Refusal } from "../../core/refusal.ts";
import { chunksOf } from "../../lib/disk/chunks.ts";
import { diskFailure } from "../../lib/disk/failure.ts";
import { once } from "../../lib/lazy.ts";
import { callLibc } from "../../lib/disk/libc.ts";
import { callable } from "../callable.ts";
import { writeOutput } from "./output.ts";

export interface Terminal {
  /** The bytes of standard input. Throws DiskError where it cannot be read, such as a folder; so does `readPassword`. */
  readonly input: AsyncIterable<Uint8Array>;
  /** Whether standard error is a terminal that somebody watches. */
  readonly watched: boolean;
  /** Throws DiskError if standard output does not take the line, and so does `printData`. */
  print(line: string): void;
  /** Prints figures and names, whatever words visitors gave them. A terminal gets what would steer it written out. */
  printData(text: string): void;
  note(line: string): void;
  /** Shows a line that the next one replaces; "" leaves none. Does nothing if nobody watches. */
  status(line: string): void;
  /** Asks twice without echo on a terminal; else takes the first line of standard input. */
  readPassword(username: string): Promise<string>;
}

const standardError = 2;
/** The system is asked directly: creating `process.stderr` for it would take some milliseconds. */
const watched = once(() => callLibc("isatty", standardError) === 1);
const eraseLine = "\r\u001b[K";

export const systemTerminal: Terminal = {
  get input() {
    return chunksOf("standard input", process.stdin);
  },
  get watched() {
    return watched();
  },
  print: (line) => writeOutput(`${callable(line)}\n`),
  printData: (text) => writeOutput(`${text}\n`),
  note: (line) => console.error(callable(line)),
  status(line) {
    if (this.watched) process.stderr.write(eraseLine + line);
  },
  readPassword: async (username) => {
    if (process.stdin.isTTY !== true) return (await firstLine(systemTerminal.input)) ?? "";
    const password = await readHidden(process.stdin, `Password for ${username}: `);
    if ((await readHidden(process.stdin, "Once more: ")) === password) return password;
    throw new Refusal(400, "the two passwords differ");
  },
};

/** Prints rows, their cells separated by a tab; where there are none, it notes that instead. */
export function printRows(terminal: Terminal, rows: readonly (readonly string[])[], none: string): void {
  for (const cells of rows) terminal.print(cells.join("\t"));
  if (rows.length === 0) terminal.note(none);
}

/** Prints a secret, this one time. Where nobody gets to see it, the Refusal says so with `advice`: how to revoke it. */
export function printSecret(terminal: Terminal, secret: string, advice: string): void {
  const failure = diskFailure(() => terminal.print(secret));
  if (failure !== undefined) throw new Refusal(500, `${failure.message}; ${advice}`);
}

/** Prints what a server says of itself. It serves all the same where nobody can read that. */
export function announce(terminal: Terminal, text: string): void {
  const failure = diskFailure(() => terminal.print(text));
  if (failure !== undefined) terminal.note(failure.message);
}

/**
 * Returns whether the answer is yes; any other is a no, and `otherwise` is shown. Throws Refusal 400 if standard input ends
 * without an answer, as in a script: that names `flag`, with which nothing is asked.
 */
export async function confirmed(
  terminal: Terminal,
  question: string,
  otherwise = "nothing was removed",
  flag = "--yes",
): Promise<boolean> {
  terminal.note(`${question} [y/N]`);
  const answer = await firstLine(terminal.input);
  if (answer === undefined)
    throw new Refusal(400, `${otherwise}: standard input has no answer; ${flag} does it without a question`);
  if (/^y(es)?$/i.test(answer.trim())) return true;
  terminal.note(otherwise);
  return false;
}

const inputBytesMax = 4_096;

/** Returns the first line, without its line feed; undefined if the input is empty. Exported for tests. */
export async function firstLine(input: AsyncIterable<Uint8Array>): Promise<string | undefined> {
  let bytes = Buffer.alloc(0);
  for await (const chunk of input) {
    bytes = Buffer.concat([bytes, chunk]);
    if (bytes.length > inputBytesMax || bytes.includes("\n")) break;
  }
  return bytes.length === 0 ? undefined : bytes.toString().split("\n")[0]!.replace(/\r$/, "");
}

/** Reads a line typed at a terminal without showing it; control-C cancels. */
function readHidden(input: ReadStream, question: string): Promise<string> {
  process.stderr.write(question);
  input.setRawMode(true).resume();
  return new Promise((resolve, reject) => {
    let typed = "";
    const end = (settle: () => void) => {
      input.off("data", take).setRawMode(false).pause();
      process.stderr.write("\n");
      settle();
    };
    const take = (chunk: Buffer) => {
      for (const key of chunk.toString()) {
        if (key === "\r" || key === "\n") return end(() => resolve(typed));
        if (key === "\u0003" || key === "\u0004") return end(() => reject(new Refusal(400, "given up")));
        typed = key === "\u007f" || key === "\b" ? typed.replace(/.$/u, "") : typed + key;
      }
    };
    input.on("data", take);
  });
}
