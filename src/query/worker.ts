/** Answers one question after the other away from the thread that takes hits. Entry point of a Worker. */
import { systemClock } from "../lib/clock.ts";
import { systemDisk } from "../lib/disk.ts";
import { goLast } from "../lib/priority.ts";
import { Desk, type DeskOptions, type DeskRequest } from "./desk.ts";

declare const self: Worker;

let desk: Desk | undefined;

/** First come the options, then requests. */
self.onmessage = ({ data }: MessageEvent<DeskOptions | DeskRequest>) => {
  if ("kind" in data) self.postMessage(desk?.handle(data));
  else {
    goLast();
    desk = new Desk(systemDisk, systemClock, data, () => Bun.gc(true));
  }
};
