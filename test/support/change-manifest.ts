/** Manifests that say something else than the program wrote. */
import type { Disk } from "../../src/lib/disk/disk.ts";
import type { Manifest } from "../../src/snapshot/manifest.ts";
import { decodeSections, encodeSections, jsonSection, readJson } from "../../src/snapshot/section.ts";

export function changeManifest(
  disk: Pick<Disk, "read"> & { put(path: string, bytes: Uint8Array): void },
  path: string,
  edit: (manifest: Manifest) => object,
): void {
  const sections = decodeSections(disk.read(path), path);
  const manifest = readJson(sections.get("manifest") as Uint8Array) as Manifest;
  disk.put(path, encodeSections([jsonSection("manifest", edit(manifest))]));
}
