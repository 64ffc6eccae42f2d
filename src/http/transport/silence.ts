/**
 * How long a connection may be silent until Bun cuts it, in seconds. It counts from the beginning of a request, however
 * many bytes of it come, and is checked every four seconds.
 */

/** While a request comes, and between two. */
export const idleTimeoutS = 10;
/** While an answer is made: above what a question may take, and the silence between two comments of a live stream. */
export const answerTimeoutS = 40;
/** While rows are removed, which takes seconds for ten million rows: the longest that Bun knows. */
export const removalTimeoutS = 255;
