/**
 * Hosts of spam referrers, which exist only to be seen by readers of statistics. Each is on the public domain list of
 * Matomo (referrer-spam-list, 2026-08-20): those that came in masses, not all 2,347.
 */
import { hostOf } from "../core/addresses/referrer.ts";

const spamHosts: ReadonlySet<string> = new Set(
  `
  1-free-share-buttons.com 100dollars-seo.com 12masterov.com 4webmasters.org 7makemoneyonline.com
  acunetix-referrer.com adspart.com anticrawler.org auto-seo-service.org autoseo-traffic.com
  best-seo-offer.com best-seo-software.xyz best-seo-solution.com bestwebsitesawards.com blackhatworth.com
  brakehawk.com burger-imperia.com buttons-for-website.com buttons-for-your-website.com
  buy-cheap-online.info buy-forum.ru cenokos.ru cenoval.ru cityadspix.com compliance-alexa.xyz
  compliance-donald.xyz compliance-fred.xyz cookie-law-enforcement-aa.xyz copyrightclaims.org
  copyrightinstitute.org dailyrank.net darodar.com descargar-musica-gratis.net djekxa.ru dominateforex.ml
  domination.ml e-buyeasy.com e-commerce-seo.com ecommerce-seo.org econom.co edakgfvwql.ru
  eu-cookie-law-enforcement2.xyz event-tracking.com fast-wordpress-start.com fbdownloader.com
  fix-website-errors.com floating-share-buttons.com forum69.info free-fb-traffic.com
  free-floating-buttons.com free-share-buttons.com free-social-buttons.com free-traffic.xyz
  free-video-tool.com free-website-traffic.com get-free-social-traffic.com get-free-traffic-now.com
  get-seo-help.com ghazel.ru gobongo.info googlemare.com googlsucks.com guardlink.org hongfanji.com
  hosting-tracker.com howtostopreferralspam.eu hulfingtonpost.com humanorightswatch.org iloveitaly.ru
  ilovevitaly.co ilovevitaly.com ilovevitaly.info ilovevitaly.org ilovevitaly.ru iminent.com
  increasewwwtraffic.info iskalko.ru justprofit.xyz kabbalah-red-bracelets.com kambasoft.com
  keywords-monitoring-success.com keywords-monitoring-your-success.com landoftracking.com
  law-enforcement-ee.xyz lumb.co luxup.ru makemoneyonline.com masterseek.com mirtorrent.net
  monetizationking.net money-for-placing-articles.com mycheaptraffic.com o-o-6-o-o.com o-o-6-o-o.ru
  o-o-8-o-o.com o-o-8-o-o.ru online-hit.info ooo-olni.ru paidonlinesites.com pizza-imperia.com
  pizza-tycoon.com pornhub-forum.ga prodvigator.ua promotion-for99.com rank-checker.online
  rankings-analytics.com ranksonic.info ranksonic.org resell-seo-services.com responsive-test.net
  savetubevideo.com search-error.com semalt.com semaltmedia.com seo-platform.com
  seo-services-wordpress.com seoanalyses.com seocheckupx.com seoexperimenty.ru share-buttons-for-free.com
  share-buttons.xyz sharebutton.io sharebutton.net sharebutton.to simple-share-buttons.com
  site-auditor.online sitevaluation.org slftsdybbg.ru slow-website.xyz smailik.org social-button.xyz
  social-buttons.com social-traffic-1.xyz social-traffic-2.xyz social-widget.xyz socialbuttons.xyz
  socialseet.ru socialtrade.biz success-seo.com superiends.org tedxrj.com theguardlan.com
  top1-seo-service.com topseoservices.co track-rankings.online traffic-cash.xyz traffic2cash.org
  traffic2cash.xyz traffic2money.com trafficgenius.xyz trafficmonetize.org trafficmonetizer.org
  uptime-eu.net uptime-us.net uptimechecker.com video--production.com videos-for-your-business.com
  web-revenue.xyz webmonetizer.net website-analyzer.info websites-reviews.com wordpress-crew.net
  yourserverisdown.com
`
    .trim()
    .split(/\s+/),
);

/** Returns whether a referrer is known for spam. Takes a normalised referrer. */
export function isSpam(referrer: string): boolean {
  return comesFrom(referrer, spamHosts);
}

/** Returns whether a normalised referrer's host, or a domain that it belongs to, is one of `hosts`. */
export function comesFrom(referrer: string, hosts: ReadonlySet<string>): boolean {
  let domain = hostOf(referrer);
  for (;;) {
    if (hosts.has(domain)) return true;
    const dot = domain.indexOf(".");
    if (dot < 0) return false;
    domain = domain.slice(dot + 1);
  }
}
