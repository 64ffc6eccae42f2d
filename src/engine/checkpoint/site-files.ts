/** Assigns the dictionaries and tuples of a website to files, each of which continues the one before it. */
import { numbered, type FileEntry } from "../../snapshot/manifest.ts";
import { encodedBytes } from "../../snapshot/section.ts";
import { emptySizes, isAt, saveSite, sizesOf } from "../../store/files/save.ts";
import type { Site } from "../../store/state/site.ts";
import type { FreshFile } from "../files/planned-checkpoint.ts";
import type { Increment, WrittenSite, WrittenSites } from "./load-checkpoint.ts";

const noFiles: WrittenSite = { sizes: emptySizes, increments: [] };

/** Returns the website's files. `known`: those of the last checkpoint, whose files are `entries`. `next` gets the new ones. */
export function siteFiles(
  site: Site,
  seq: number,
  known = noFiles,
  next: WrittenSites,
  entries: ReadonlyMap<string, FileEntry>,
): (FileEntry | FreshFile)[] {
  const entryOf = ({ name }: Increment) => entries.get(name) as FileEntry;
  const sizes = sizesOf(site);
  if (known.increments.length > 0 && isAt(known.sizes, sizes)) {
    next.set(site, known);
    return known.increments.map(entryOf);
  }
  const { kept, since, sections } = unwritten(site, known, entryOf);
  const name = `chunks/${site.websiteId}/${numbered(seq)}.site`;
  next.set(site, { sizes, increments: [...kept, { since, name }] });
  return [...kept.map(entryOf), { name, sections }];
}

/**
 * Returns the sections to write for a website that has changed, and the files that stay. A file that is no larger
 * than all that came after it is written again together with that. So each file is larger than all after it, which
 * makes them few, and data that is written again lands in a file of twice the size: both numbers are logarithms of
 * the whole.
 */
function unwritten(site: Site, { sizes, increments }: WrittenSite, entryOf: (of: Increment) => FileEntry) {
  let kept = increments.length;
  let bytesAfter = encodedBytes(saveSite(site, sizes));
  for (let at = kept - 1; at >= 0; at--) {
    const { bytes } = entryOf(increments[at]!);
    if (bytes <= bytesAfter) kept = at;
    bytesAfter += bytes;
  }
  const since = increments[kept]?.since ?? sizes;
  return { kept: increments.slice(0, kept), since, sections: saveSite(site, since) };
}
