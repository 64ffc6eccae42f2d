/** The disk of the system, of which a test says how much is free. */
import { systemIo } from "../../src/engine/checkpoint/io.ts";
import type { Disk } from "../../src/lib/disk/disk.ts";

export class FullDisk {
  free = 1e12;
  readonly io = { ...systemIo, disk: this.over(systemIo.disk) };

  private over(disk: Disk): Disk {
    return new Proxy(disk, {
      get: (target, name) => {
        if (name === "freeBytes") return () => this.free;
        const value: unknown = Reflect.get(target, name);
        return typeof value === "function" ? (value.bind(target) as unknown) : value;
      },
    });
  }
}
