/** Says which proxy hides the addresses of visitors: without these no visits are told apart. */
import type { Rejections } from "../lib/set-up/rejections.ts";
import { rich, t } from "../lib/texts/words.ts";

export function HidingProxy({ address }: NonNullable<Rejections["hiding_proxy"]>) {
  return (
    <p>
      <strong>{t("No visits are told apart now:")}</strong>{" "}
      {rich(
        "a proxy or CDN hides the addresses of visitors. Let it pass them on in X-Forwarded-For, and start Footfall with {option}: docs/install.md has examples.",
        { option: <code>{`--trust-proxy loopback,${address ?? "ADDRESS-OF-THE-PROXY"}`}</code> },
      )}
    </p>
  );
}
