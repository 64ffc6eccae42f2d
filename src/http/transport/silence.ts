/**
 * How long a connection may be silent until Bun cuts it, in seconds. It counts from the beginning of a request, however
 * many bytes of it come, and is checked every four seconds.
 */

/** The longest silence while a request comes, and between two. */
export const idleTimeoutS = 10;
/** The longest silence while an answer is made: above what a question may take, and a live stream between comments. */
export const answerTimeoutS = 40;
/** The longest silence while something is changed, as a removal waits for those of others: the most that Bun allows. */
export const changeTimeoutS = 255;
/**
 * The longest silence of the node that makes an answer for another one, which refuses before the connection is cut: it may
 * wait 5 s before for somebody who sequences, and 5 s behind for its own copy. Bun cuts up to 4 s early.
 */
export const forwardedTimeoutS = changeTimeoutS - 20;
