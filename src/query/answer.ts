/** The questions that can be asked of a website. They change nothing, and the same question has the same answer. */
export { answerList } from "./list.ts";
export { answerProperties } from "./properties.ts";
export { answerSummary, visitorsIn } from "./summary.ts";
export { answerTime } from "./time.ts";
