/**
 * Servers as processes on one data folder, one after the other or beside each other, for the tests of a file. Each test has a
 * folder of its own, and what still runs after it is killed. A file makes one where it begins.
 */
import { afterEach, beforeEach, expect } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { useExecutable } from "./executable.ts";
import { ServerProcess } from "./server.ts";

const hostname = "a.example";

export class ServersOfFolder {
  /** The folder that holds the data folder. */
  top = "";
  private readonly program = [useExecutable()];
  private readonly started: ServerProcess[] = [];

  constructor() {
    beforeEach(() => {
      this.top = mkdtempSync(join(tmpdir(), "footfall-servers-"));
    });
    afterEach(async () => {
      for (const server of this.started.splice(0)) await server.end("SIGKILL");
      rmSync(this.top, { recursive: true });
    });
  }

  get data(): string {
    return join(this.top, "data");
  }

  /** Starts a server on a folder whose account is there. */
  async start(data = this.data): Promise<ServerProcess> {
    const server = await ServerProcess.start(this.program, this.top, ["--data", data]);
    this.started.push(server);
    await server.logIn();
    return server;
  }

  /** Starts one on a new folder, and adds the website of `hit` and `pages`. */
  async startNew(): Promise<ServerProcess> {
    const server = await this.start();
    expect((await server.post("/websites", { hostname })).status).toBe(201);
    return server;
  }
}

/** Sends a hit of a page. Resolves to the status of its answer. */
export async function hit(server: ServerProcess, page: string): Promise<number> {
  return (await server.hit(`https://${hostname}/${page}`, `beacon-${page}`)).status;
}

/** Resolves to the paths that were counted, in order. */
export async function pages(server: ServerProcess): Promise<unknown[]> {
  return (await server.rows(hostname, "pages")).map(({ path }) => path).toSorted();
}
