/**
 * Real nats-servers with JetStream: one, or a cluster of several on one machine, on free ports and in a folder of
 * their own. Each syncs every write, as a server of Footfall has to. Each may be killed, paused, and started again.
 */
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { homedir, tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { onQuietPort } from "./quiet-port.ts";
import { until } from "./until.ts";

/** The release that Footfall is tested with. */
export const natsVersion = "v2.15.2";

/** One that was named, then one that Go installed, then any other: that of a distribution may be too old. */
export const natsPath = [
  process.env["FOOTFALL_NATS_SERVER"] ?? "",
  ...goFolders().map((folder) => join(folder, "nats-server")),
  Bun.which("nats-server") ?? "",
].find((path) => existsSync(path));

/** They are as `go install` chooses them. */
function goFolders(): string[] {
  const { GOBIN = "", GOPATH = join(homedir(), "go") } = process.env;
  return [GOBIN, ...GOPATH.split(delimiter).map((path) => join(path, "bin"))];
}

/** The kernel kills the server with whoever started it. */
const tied = Bun.which("setpriv") === null ? [] : ["setpriv", "--pdeathsig", "KILL"];

/** The place where a process runs. */
export interface Machine {
  /** The address at which others like it reach it. */
  readonly address: string;
  /** The address at which this process reaches it. */
  readonly clientAddress: string;
  /** Begins the command of a process on it. */
  readonly command: readonly string[];
}

const thisMachine: Machine = { address: "127.0.0.1", clientAddress: "127.0.0.1", command: [] };

export interface NatsOptions {
  /** 1, or 3 for a cluster with a quorum. */
  readonly count?: number;
  /** Lines that each configuration has besides, such as those of TLS; the last of equal ones holds. */
  readonly lines?: readonly string[];
  /** Whether every write is synced. Footfall refuses a server that does not. */
  readonly isSynced?: boolean;
  /** That of each server; by default all run on this one. */
  readonly machines?: readonly Machine[];
  /** A folder for all that they have, which stays when they are stopped. */
  readonly folder?: string;
}

interface Place extends Machine {
  readonly client: number;
  readonly route: number;
  readonly monitor: number;
}

export class NatsServer {
  private child: Bun.Subprocess | undefined;

  constructor(
    readonly name: string,
    /** Its configuration, its log and its streams. */
    readonly folder: string,
    private readonly place: Place,
  ) {}

  get url(): string {
    return `nats://${this.place.address}:${this.place.client}`;
  }

  get pid(): number {
    return this.child?.pid ?? 0;
  }

  get monitor(): string {
    return `http://${this.place.clientAddress}:${this.place.monitor}`;
  }

  get isRunning(): boolean {
    return this.child !== undefined && this.child.exitCode === null && this.child.signalCode === null;
  }

  /** Starts it, with what its folder has, and waits for nothing: one of several is ready only with a quorum. */
  launch(): void {
    if (natsPath === undefined) throw new Error("there is no nats-server");
    if (this.isRunning) throw new Error(`${this.name} runs`);
    const command = [...this.place.command, ...tied, natsPath, "--config", join(this.folder, "nats.conf")];
    this.child = Bun.spawn(command, { stdio: ["ignore", "ignore", "ignore"] });
  }

  /** Starts it again, and waits until it has what the others have. */
  async start(): Promise<void> {
    this.launch();
    await this.ready();
  }

  ready(): Promise<void> {
    return until(
      () => this.isReady(),
      () => `${this.name} is ready; its log ends with ${this.logEnd()}`,
    );
  }

  /** Ends it without a chance to write anything. */
  async kill(): Promise<void> {
    this.child?.kill("SIGKILL");
    await this.child?.exited;
  }

  /** A paused server keeps its connections and answers nothing, from the return of this on. */
  pause(): void {
    const { child } = this;
    if (child === undefined) return;
    child.kill("SIGSTOP");
    // The signal reaches a thread that runs on another processor a moment later.
    for (let look = 0; look < 1_000 && !isPaused(child.pid); look++) Bun.sleepSync(1);
  }

  resume(): void {
    this.child?.kill("SIGCONT");
  }

  /** The log goes with the folder of the test. */
  private logEnd(): string {
    const path = join(this.folder, "log");
    return existsSync(path) ? readFileSync(path, "utf8").slice(-1_000) : "nothing";
  }

  /** Whether its streams are up to date and it knows who leads them. */
  private async isReady(): Promise<boolean> {
    if (!this.isRunning) throw new Error(`${this.name} ended`);
    try {
      const answer = await fetch(`${this.monitor}/healthz`);
      return answer.ok;
    } catch {
      return false;
    }
  }
}

export class NatsServers {
  private constructor(
    readonly servers: readonly NatsServer[],
    /** The folder that goes with them. */
    private readonly folder: string | undefined,
  ) {}

  static async start({
    count = 1,
    lines = [],
    isSynced = true,
    machines = Array.from({ length: count }, () => thisMachine),
    ...given
  }: NatsOptions = {}): Promise<NatsServers> {
    const folder = given.folder ?? mkdtempSync(join(tmpdir(), "footfall-nats-"));
    const places = freePlaces(machines);
    const servers = places.map((place, index) => {
      const name = `nats-${index + 1}`;
      const home = join(folder, name);
      mkdirSync(home);
      const text = [...configuration(name, home, place, isSynced), ...cluster(place, places)];
      writeFileSync(join(home, "nats.conf"), [...text, ...lines, ""].join("\n"));
      return new NatsServer(name, home, place);
    });
    const all = new NatsServers(servers, given.folder === undefined ? folder : undefined);
    await all.startAll();
    return all;
  }

  /** As `--nats` takes it. */
  get urls(): string {
    return this.servers.map(({ url }) => url).join(",");
  }

  /** As `--nats-monitors` takes it. */
  get monitors(): string {
    return this.servers.map(({ monitor }) => monitor).join(",");
  }

  /** The flags of a server that is a node by them, each of whose records is on one of them. */
  get flags(): readonly string[] {
    return ["--nats", this.urls, "--nats-monitors", this.monitors, "--nats-replicas", "1"];
  }

  /** Starts those that do not run, and waits until all of them are ready. */
  async startAll(): Promise<void> {
    for (const server of this.servers) if (!server.isRunning) server.launch();
    await Promise.all(this.servers.map((server) => server.ready()));
  }

  async killAll(): Promise<void> {
    await Promise.all(this.servers.map((server) => server.kill()));
  }

  /** Their disks are lost: all of them start again without a stream. */
  async loseStreams(): Promise<void> {
    await this.killAll();
    for (const { folder } of this.servers) rmSync(join(folder, "streams"), { recursive: true });
    await this.startAll();
  }

  /** Ends all of them, and removes what they had. */
  async stop(): Promise<void> {
    await this.killAll();
    if (this.folder !== undefined) rmSync(this.folder, { recursive: true });
  }
}

function configuration(
  name: string,
  home: string,
  { address, clientAddress, client, monitor }: Place,
  isSynced: boolean,
): string[] {
  return [
    `server_name: ${name}`,
    `listen: "${address}:${client}"`,
    `http: "${clientAddress}:${monitor}"`,
    `log_file: "${join(home, "log")}"`,
    `jetstream { store_dir: "${join(home, "streams")}"${isSynced ? ", sync_interval: always" : ""} }`,
  ];
}

function cluster({ address, route }: Place, all: readonly Place[]): string[] {
  if (all.length === 1) return [];
  const routes = all.map((other) => `"nats://${other.address}:${other.route}"`);
  const own = `name: test, listen: "${address}:${route}", routes: [${routes.join(", ")}]`;
  // As in deploy/cluster/nats.conf.
  return [`cluster { ${own}, ping_interval: "2s", ping_max: 2 }`];
}

/** All ports are held together, so that no two are the same. */
function freePlaces(machines: readonly Machine[]): Place[] {
  const held = machines.map(() =>
    Array.from({ length: 3 }, () =>
      onQuietPort((port) => Bun.listen({ hostname: "127.0.0.1", port, socket: { data: () => {} } })),
    ),
  );
  const places = machines.map((machine, index) => {
    const [client = 0, route = 0, monitor = 0] = (held[index] ?? []).map(({ port }) => port);
    return { ...machine, client, route, monitor };
  });
  for (const listener of held.flat()) listener.stop(true);
  return places;
}

/** Returns whether all threads of a process are stopped, as far as the system tells. */
function isPaused(pid: number): boolean {
  const tasks = `/proc/${pid}/task`;
  if (!existsSync(tasks)) return true;
  return readdirSync(tasks).every((id) =>
    /^\d+ \(.*\) T/.test(readFileSync(join(tasks, id, "stat"), "utf8")),
  );
}
