/** The features of the tracker in words, and in the API's form. */
import { scriptFeatures, type ScriptFeature, type ScriptType } from "../../../core/scripts.ts";
import { t } from "../texts/words.ts";

export const featureTexts: Readonly<Record<ScriptFeature, { readonly name: string; readonly does: string }>> =
  {
    "click-events": {
      name: t("Clicks"),
      does: t(
        'An event with the properties of data-footfall-click="plan=pro;place=top" when that element is clicked.',
      ),
    },
    "page-events": {
      name: t("Properties of pages"),
      does: t('data-footfall-load="author=ada" on any element gives its page view these properties.'),
    },
    "outbound-links": {
      name: t("Outbound links"),
      does: t("An event with the property outbound_link for each click on a link to another website."),
    },
    "file-downloads": {
      name: t("File downloads"),
      does: t(
        "An event with the property file_download for each click on a document, archive, program or media file.",
      ),
    },
    "hash-routes": {
      name: t("Hash routes"),
      does: t("Count paths such as #/about, which some single-page applications use, as separate pages."),
    },
  };

/** Returns `settings.script_type` for the features that are switched on. */
export function scriptTypesOf(isOn: (feature: ScriptFeature) => boolean): readonly ScriptType[] {
  const on = scriptFeatures.filter(isOn);
  return on.length === 0 ? ["default"] : on;
}
