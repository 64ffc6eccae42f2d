/** The command that brings the data of a single machine into a new cluster, or that of a cluster to a single machine. */
import { Refusal } from "../../core/refusal.ts";
import { DiskError } from "../../lib/disk/disk.ts";
import { natsSettings } from "../cluster/settings.ts";
import type { Call, Command } from "../command.ts";
import { loggerOf } from "../terminal/logger.ts";
import { bytesNowAndThen } from "../terminal/progress.ts";
import { refused } from "../settings/values.ts";

export const clusterMove: Command = {
  words: ["cluster", "move"],
  flags: [
    {
      name: "back",
      description: "Make --data the folder of a single machine: a node's folder, or an empty one",
    },
    {
      name: "accept-loss",
      description:
        "With --back, end with the last record before a message of the stream that cannot be read or applied; without it, nothing is moved then",
    },
  ],
  description: "Begin a cluster with the data of a single machine; or with --back, the opposite",
  details: [
    [
      "LOST STREAM",
      "Where the stream is lost, --back keeps all that the folder has, also one that restore has made of a backup of the cluster",
    ],
  ],
  exitCodes: { 0: "it is done, and nothing is wrong with the data; standard output says what it may lack" },
  run: async (call) => {
    const { settings, flags } = call;
    if (flags.has("accept-loss") && !flags.has("back"))
      throw refused("--accept-loss is for --back: a folder that is moved in has to be whole");
    const nats = natsSettings(settings);
    if (nats === undefined) throw refused("FOOTFALL_NATS is missing: expected the servers of the cluster");
    const [{ connect }, { connectionOptions, connectionRefusal }] = await Promise.all([
      import("../../cluster/connection/connect.ts"),
      import("../../cluster/connection/nats-settings.ts"),
    ]);
    const options = connectionOptions(nats);
    const connection = await connect(nats.servers, options).catch((error: Error) => {
      throw connectionRefusal(error);
    });
    try {
      const { prefix, replicas } = nats;
      await (flags.has("back") ? back : into)(call, { connection, prefix, replicas });
    } finally {
      await connection.close();
    }
  },
};

type StreamOptions = import("../../cluster/stream/stream.ts").StreamOptions;

async function into(call: Call, stream: StreamOptions): Promise<void> {
  const { settings, clock, random, terminal } = call;
  const { folder, objects } = settings;
  if (objects === undefined)
    throw refused("FOOTFALL_OBJECTS is missing: expected the place from which all nodes start");
  const [{ joinStream, moveIn }, { catchUp }] = await Promise.all([
    import("../cluster/move-in.ts"),
    import("../cluster/catch-up.ts"),
  ]);
  const onProgress = bytesNowAndThen(clock, terminal);
  const moved = await moveIn({ folder, objects, stream, clock, random, onProgress }).finally(() =>
    terminal.status(""),
  );
  const has = `the cluster has everything up to record ${moved.list.seq}`;
  // A start without --nats would take hits that are in no cluster: it is refused for a node's copy.
  try {
    joinStream(folder, moved.stream);
    await catchUp({ folder, objects, clock, random, logger: loggerOf(call) }, moved.stream);
  } catch (error) {
    if (!(error instanceof DiskError)) throw error;
    throw new Refusal(
      500,
      `${has}, but ${folder} is not that of a node yet: ${error.message}. Once that is mended, start the first node on it, and do not ` +
        "start it without --nats before",
    );
  }
  terminal.print(
    `${has}: start its first node on ${folder}, which is whole at once, and the ` +
      `others with new folders. Do not start ${folder} without --nats again`,
  );
}

async function back(call: Call, stream: StreamOptions): Promise<void> {
  const { settings, flags, clock, random, terminal } = call;
  const { folder, objects } = settings;
  const { moveBack } = await import("../cluster/move-back.ts");
  const { seq, lacks } = await moveBack({
    folder,
    objects,
    stream,
    acceptsLoss: flags.has("accept-loss"),
    clock,
    random,
    logger: loggerOf(call),
  });
  terminal.print(
    `${folder} is the folder of a single machine, with everything up to record ${seq}. ${lacks ?? "The stream is as it was"}`,
  );
}
