/** The limits on what a tracker may send, and the times that decide how a hit counts. Format 1. */
export const bodyBytesMax = 64 * 1024;
export const beaconCharactersMax = 64;
export const urlCharactersMax = 8_192;
export const pathCharactersMax = 2_048;
export const referrerCharactersMax = 2_048;
export const utmCharactersMax = 255;
export const propertiesMax = 30;
export const propertyNameCharactersMax = 300;
export const propertyValueCharactersMax = 2_000;

/** The most hits of a batch that a server sends, and the bytes of its body. */
export const batchHitsMax = 1_000;
export const batchBytesMax = 4 * 1024 * 1024;
/** How far back a server may say that a hit happened, and how far its clock may be ahead. */
export const givenTimeMsMax = 7 * 86_400_000;
export const clockAheadMsMax = 60_000;

export const minuteMs = 60_000;
export const hourMs = 60 * minuteMs;
export const dayMs = 24 * hourMs;
/** How long after its load a page view takes unloads and events, and a second load counts as a retry. */
export const pageViewOpenMs = dayMs;
/** The longest time that an unload may claim. */
export const visibleMsMax = dayMs;
/** How long an unload or event waits for its load. */
export const earlyWaitMs = 600_000;
/** How long the beacon of a page view is known at least, unless more come than are kept: longer than it takes hits. */
export const beaconKnownMs = 2 * dayMs;
/** A first load shorter than this, without a custom event, is a bounce. */
export const bounceMs = 5_000;

/** A visit is over after this time without a sign of life. */
export const visitPauseMs = 30 * 60_000;
/** The longest visit. */
export const visitMsMax = 12 * 3_600_000;
/** No two rows of a visit are further apart. */
export const visitSpanMsMax = visitMsMax + visitPauseMs;
/** A visit of one page view that was seen for less, without an event, is a bounce. */
export const engagedMs = 10_000;
/** The length of a block of visit numbers: a file whose visits have numbers gets them block by block. Format 2. */
export const visitsOfBlock = 2 ** 16;
/** The greatest number of a visit. */
export const visitMax = 2 ** 32 - 1;
