/** A PostgreSQL in a folder of its own, which listens on a socket there: that of Debian, which does not run as root. */
import { chownSync, existsSync, mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { until } from "./until.ts";

/** Its user has this name on Debian. */
const user = "postgres";
const isRoot = process.getuid?.() === 0;
/** Debian has the programs of the server outside of the path. */
const versions = "/usr/lib/postgresql";
const folders = existsSync(versions)
  ? readdirSync(versions).map((version) => join(versions, version, "bin"))
  : [];
const PATH = [process.env["PATH"], ...folders].join(":");
const env = { ...process.env, PATH };

function idOf(flag: string): number {
  return Number(Bun.spawnSync(["id", flag, user]).stdout.toString());
}

export const hasPostgres =
  ["initdb", "postgres", "psql", "setpriv"].every((name) => Bun.which(name, { PATH }) !== null) &&
  (!isRoot || idOf("-u") > 0);

export class Postgres {
  private constructor(
    private readonly server: Bun.Subprocess,
    /** As psql takes it. */
    readonly url: string,
  ) {}

  /** `top`: a folder that everybody may enter. */
  static async start(top: string): Promise<Postgres> {
    const folder = join(top, "postgres");
    mkdirSync(folder);
    if (isRoot) chownSync(folder, idOf("-u"), idOf("-g"));
    const ids = [`--reuid=${user}`, `--regid=${user}`, "--clear-groups"];
    const as = ["setpriv", "--pdeathsig", "KILL", ...(isRoot ? ids : [])];
    const data = ["-D", join(folder, "data")];
    const made = Bun.spawnSync([...as, "initdb", ...data, "-U", user, "--auth=trust", "--no-sync"], { env });
    if (!made.success) throw new Error(`initdb: ${made.stderr.toString()}`);
    const settings = ["-k", folder, "-c", "listen_addresses=", "-c", "fsync=off"];
    const server = Bun.spawn([...as, "postgres", ...data, ...settings], {
      env,
      stdio: ["ignore", "ignore", "ignore"],
    });
    const postgres = new Postgres(
      server,
      `postgresql:///postgres?host=${encodeURIComponent(folder)}&user=${user}`,
    );
    await until(() => postgres.run("SELECT 1").success, "PostgreSQL answers");
    return postgres;
  }

  /** Runs statements, with `input` for a COPY FROM STDIN. */
  run(sql: string, input = "") {
    return Bun.spawnSync(["psql", this.url, "-v", "ON_ERROR_STOP=1", "-c", sql], {
      stdin: Buffer.from(input),
    });
  }

  async stop(): Promise<void> {
    this.server.kill("SIGQUIT");
    await this.server.exited;
  }
}
