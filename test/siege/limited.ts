/** A server that the kernel kills when it takes more memory than it may: in a control group of its own. */
import { mkdirSync, rmdirSync, writeFileSync, existsSync } from "node:fs";
import { join } from "node:path";

const version1 = "/sys/fs/cgroup/memory";
const version2 = "/sys/fs/cgroup";

export interface MemoryLimit {
  /** The command that runs `command` within the limit. */
  wrap(command: readonly string[]): readonly string[];
  remove(): void;
}

/** Undefined where this account may make no control group. */
export function memoryLimit(bytes: number): MemoryLimit | undefined {
  const isFirst = existsSync(version1);
  const group = join(isFirst ? version1 : version2, `footfall-siege-${process.pid}`);
  const limit = isFirst ? "memory.limit_in_bytes" : "memory.max";
  try {
    mkdirSync(group);
    writeFileSync(join(group, limit), String(bytes));
  } catch {
    return undefined;
  }
  const enter = `echo $$ > ${join(group, "cgroup.procs")} && exec "$0" "$@"`;
  return {
    wrap: (command) => ["sh", "-c", enter, ...command],
    remove: () => {
      try {
        rmdirSync(group);
      } catch {
        // A process that is ending is still in it: the group is empty and costs nothing.
      }
    },
  };
}
