/** The table of what `npm run torture` does, and `npm test` in short. */
import { backups } from "./backups.ts";
import { clocks } from "./clocks.ts";
import { cutSegment } from "./cut-segment.ts";
import { deletion } from "./deletion.ts";
import { failures } from "./failures.ts";
import { flippedBits } from "./flipped-bits.ts";
import { fullDisk } from "./full-disk.ts";
import { kills } from "./kills.ts";
import { killsThenCuts } from "./kills-then-cuts.ts";
import { movedFiles } from "./moved-files.ts";
import { images } from "./images.ts";
import { powerCuts } from "./power-cuts.ts";
import { reductions } from "./reductions.ts";
import { replays } from "./replays.ts";
import type { Torture } from "./torture.ts";

export const tortures = {
  "power-cuts": powerCuts,
  failures,
  "cut-segment": cutSegment,
  "flipped-bits": flippedBits,
  "moved-files": movedFiles,
  kills,
  "kills-then-cuts": killsThenCuts,
  images,
  "full-disk": fullDisk,
  replays,
  reductions,
  backups,
  clocks,
  deletion,
} as const satisfies Readonly<Record<string, Torture>>;
