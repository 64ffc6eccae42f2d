/** The room that an account has for websites, and for what these keep beside their statistics. */

/** The most websites of which an account may be the first owner after it adds one: agencies have hundreds. */
export const websitesMax = 1_000;
/**
 * The most characters of goals, notes, segments, links, imported files and the like of all of them, as JSON: a goal mostly has
 * some hundred.
 */
export const keptCharactersMax = 16_000_000;
/** About the characters of an imported file: two hashes, and how far it was taken. */
export const fileCharacters = 210;
