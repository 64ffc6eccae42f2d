/** Questions about the websites of a data folder, with their shares of its memory. */
import { Questions, questionTimes, type QuestionsOptions } from "../query-worker/questions.ts";
import type { FactsMaker } from "./checkpoint/facts-maker.ts";
import { ownMemory, workerMemory } from "./options/memory-plan.ts";
import type { EngineOptions, Recovered } from "./options/options.ts";
import { QuestionsToCome } from "./questions-to-come.ts";

export function openQuestions(
  { clock, logger, io, folder, memoryBytes, memory, smallRows, awaited }: EngineOptions,
  { state: { registry, store }, files }: Recovered,
  facts: FactsMaker,
): Questions {
  const options: QuestionsOptions = {
    clock,
    logger,
    smallRows,
    ...questionTimes,
    accountOf: (websiteId) => registry.websites.get(websiteId)?.userId ?? 0,
    memory,
    cacheBytes: ownMemory(memoryBytes).cache,
    sites: store.sites,
    factsMade: () => facts.made,
    onDiscarded: (file) => facts.discarded(file),
    onDamaged: (file) => files.distrust(file),
    fileOf: (chunk) => files.chunks.fileOf(chunk),
    openPort: (signals) => {
      const { bytes, cache } = workerMemory(memoryBytes, files.chunks.bytes.sealed);
      return io.openQuestionPort({ folder, memoryBytes: bytes, cacheBytes: cache, signals });
    },
  };
  return awaited === undefined ? new Questions(options) : new QuestionsToCome(options, awaited);
}
