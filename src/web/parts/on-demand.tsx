/** A component that is not in the page's first script: it comes when it is first shown. */
import { signal } from "@preact/signals";
import type { ComponentType } from "preact";
import { useLayoutEffect } from "preact/hooks";
import { freshness } from "../lib/answer.ts";
import { ApiError } from "../lib/api.ts";
import { t } from "../lib/texts/words.ts";
import { Failed } from "./notice.tsx";

/**
 * Returns a component that loads another one when it is shown: `load` is an `import()`, of which build.ts makes a part of
 * the second script. `Waiting` stands in its place until then; a dialog needs nothing there. It is no element: Preact keeps
 * where one was first used, and with it every page that was drawn since.
 */
export function onDemand<P extends object>(
  load: () => Promise<ComponentType<P>>,
  Waiting: ComponentType = () => null,
): ComponentType<P> {
  const loaded = signal<ComponentType<P>>();
  const error = signal<ApiError>();
  const ask = async () => {
    try {
      const component = await load();
      loaded.value = component;
    } catch (failure) {
      if (!(failure instanceof ApiError)) throw failure;
      error.value = failure;
    }
  };
  return function OnDemand(props: P) {
    const round = freshness.value;
    // Another try, and being online again, raise `freshness`.
    useLayoutEffect(() => {
      if (loaded.value === undefined) void ask();
    }, [round]);
    const Loaded = loaded.value;
    if (Loaded !== undefined) return <Loaded {...props} />;
    return error.value === undefined ? (
      <Waiting />
    ) : (
      <Failed error={error.value} what={t("this part of the page")} />
    );
  };
}
