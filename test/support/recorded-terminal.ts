/** A terminal that nobody watches, whose output is kept, and whose standard input is a text. */
import { firstLine, type Terminal } from "../../src/cli/terminal/terminal.ts";

export class RecordedTerminal implements Terminal {
  readonly printed: string[] = [];
  readonly noted: string[] = [];
  readonly input: AsyncIterable<Uint8Array>;

  constructor(
    input = "",
    readonly watched = false,
  ) {
    this.input = piecesOf(Buffer.from(input));
  }

  print(line: string): void {
    this.printed.push(line);
  }

  printData(text: string): void {
    this.printed.push(text);
  }

  note(line: string): void {
    this.noted.push(line);
  }

  status(_line: string): void {}

  async readPassword(): Promise<string> {
    return (await firstLine(this.input)) ?? "";
  }
}

async function* piecesOf(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += 100) yield bytes.subarray(at, at + 100);
}
