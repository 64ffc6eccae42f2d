/** The ports of the log and of questions to this thread: they answer in a later turn, as those of Workers do. */
import { systemClock, type Clock } from "../../src/lib/clock.ts";
import type { Disk } from "../../src/lib/disk/disk.ts";
import { QueryWorker, type QueryWorkerOptions } from "../../src/query-worker/query-worker.ts";
import type { QuestionPort } from "../../src/query-worker/worker-port.ts";
import { answer, resultOf, type LogPort } from "../../src/wal/worker-port.ts";
import { SegmentWriter } from "../../src/wal/writer.ts";

const laterTurn = () => new Promise((resolve) => setImmediate(resolve));

export function localLogPort(disk: Disk, clock = systemClock): LogPort {
  const writer = new SegmentWriter(disk);
  return {
    write: async (request) => {
      await laterTurn();
      return resultOf(answer(disk, clock, writer, request));
    },
    close: async () => writer.close(),
  };
}

/** It sees only data that was sent. */
export function localQuestionPort(disk: Disk, clock: Clock, options: QueryWorkerOptions): QuestionPort {
  const worker = new QueryWorker(disk, clock, options, () => {});
  return {
    send: async (request, transfer, onReply) => {
      const sent = structuredClone(request, { transfer });
      await laterTurn();
      return structuredClone(worker.handle(sent, (reply) => onReply(structuredClone(reply))));
    },
    close: () => {},
  };
}
