/**
 * The second script of the dashboard: all that stands behind an `import()`, in one file, which is loaded when some of
 * it is first needed. build.ts makes both scripts, and puts `moduleOf` in the place of every `import()`.
 *
 * The second script has nothing twice: the first hands over what both need, such as the state. Its text becomes a script
 * element of the page, and the policy of the page knows that text by its hash, as it knows the first script.
 */
import { ApiError, send } from "./api.ts";
import { moreWords, t } from "./texts/words.ts";

type Modules = Readonly<Record<string, unknown>>;

declare global {
  /** Made by build.ts: what the first script hands over, and the modules of the second once it has run. */
  var footfall: { modules?: Modules };
}

let loading: Promise<Modules> | undefined;

/** Loads the second script unless it is there. Throws ApiError; another call tries again then. */
export async function loadModules(): Promise<Modules> {
  loading ??= run();
  try {
    return await loading;
  } catch (error) {
    loading = undefined;
    throw error;
  }
}

async function run(): Promise<Modules> {
  const path = `/dashboard/modules/${document.documentElement.dataset["modules"]}`;
  const response = await send("GET", path).catch((error: ApiError) => {
    throw error.status === 404 ? updated() : error;
  });
  const script = document.createElement("script");
  script.textContent = await response.text();
  // Its modules have texts among their constants.
  await moreWords();
  document.head.append(script);
  // The policy has refused the script if it is that of another version.
  if (footfall.modules === undefined) throw updated();
  return footfall.modules;
}

function updated(): ApiError {
  return new ApiError(404, t("Footfall was updated. Load the page again."));
}

/** Returns a module of the second script by the name that build.ts has given it. */
export async function moduleOf(name: string): Promise<unknown> {
  return (await loadModules())[name];
}
