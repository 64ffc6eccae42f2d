/** The room that an account has for websites, and for what these keep beside their statistics. */

/** The most websites of which an account may be the first owner after it adds one: agencies have hundreds. */
export const websitesMax = 1_000;
/**
 * The most characters of goals, notes, segments, links and the like of all of them, as JSON: a goal mostly has some hundred.
 */
export const keptCharactersMax = 16_000_000;
/** The most files of a website after an upload: each stays known for good, and every batch of an import copies the list of them. */
export const filesOfWebsiteMax = 10_000;
/** The most files of all that an account owns after an upload. Each has about 210 characters: two hashes, and how far it was taken. */
export const filesOfAccountMax = 100_000;
