/** Times that are said of the nodes of a cluster: what shows them loads nothing of the cluster. */

/** Stands for how far a node is behind that has not had everything since its start, in milliseconds. */
export const unknownMs = 3_600_000;
/** A node that runs is silent for no longer, unless its machine is busy: it says each second that it runs. */
export const silentMsMax = 2_500;
/** A node that was not heard for this long is away. */
export const heardMs = 10_000;
/** One that is away is remembered for this long. */
export const rememberedMs = 24 * 3_600_000;
