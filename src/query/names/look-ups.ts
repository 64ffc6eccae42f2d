/** The channels and labels that facts are made by. */
import type { LookUps } from "../../facts/rollup.ts";
import { channelsOf } from "./derived.ts";
import { labellers } from "./labels.ts";

export const lookUps: LookUps = { channelsOf, labellers };
