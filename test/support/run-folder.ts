/** The variable with which test/run.ts names a folder that lives as long as the run. */
export const runFolderVariable = "FOOTFALL_TEST_FOLDER";
