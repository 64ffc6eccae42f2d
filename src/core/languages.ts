/** The languages of the dashboard. The dashboard itself reads them in its page, which the build has filled in. */
import { languageCodes } from "./word-files.ts" with { type: "macro" };

export const languages: readonly string[] = languageCodes();
