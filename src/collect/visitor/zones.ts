/**
 * Finds the country of a visitor by the time zone: no address is needed, and none is looked up. The facts are those of the IANA time zone database 2025b (public domain): its
 * `zone.tab`, and the former names of its `backward` file under the country they were used in. Zones of no country
 * (`UTC`, `Etc/GMT+5`, `CET`, `EST5EDT`) are left out on purpose.
 */
import { once } from "../../lib/lazy.ts";

/** Area in the zone's name -> ISO 3166 codes, each followed by the rest of its zones' names. */
const zonesByArea: Readonly<Record<string, string>> = {
  "": `
    CN: PRC CU: Cuba EG: Egypt GB: GB GB-Eire HK: Hongkong IE: Eire IL: Israel IR: Iran IS: Iceland JM:
    Jamaica JP: Japan KR: ROK LY: Libya MH: Kwajalein NZ: NZ NZ-CHAT PL: Poland PT: Portugal RU: W-SU SG:
    Singapore TR: Turkey TW: ROC US: Navajo`,
  Africa: `
    AO: Luanda BF: Ouagadougou BI: Bujumbura BJ: Porto-Novo BW: Gaborone CD: Kinshasa Lubumbashi CF: Bangui
    CG: Brazzaville CI: Abidjan CM: Douala DJ: Djibouti DZ: Algiers EG: Cairo EH: El_Aaiun ER: Asmara Asmera
    ES: Ceuta ET: Addis_Ababa GA: Libreville GH: Accra GM: Banjul GN: Conakry GQ: Malabo GW: Bissau KE:
    Nairobi LR: Monrovia LS: Maseru LY: Tripoli MA: Casablanca ML: Bamako Timbuktu MR: Nouakchott MW:
    Blantyre MZ: Maputo NA: Windhoek NE: Niamey NG: Lagos RW: Kigali SD: Khartoum SL: Freetown SN: Dakar SO:
    Mogadishu SS: Juba ST: Sao_Tome SZ: Mbabane TD: Ndjamena TG: Lome TN: Tunis TZ: Dar_es_Salaam UG:
    Kampala ZA: Johannesburg ZM: Lusaka ZW: Harare`,
  America: `
    AG: Antigua AI: Anguilla AR: Argentina/Buenos_Aires Argentina/Catamarca Argentina/ComodRivadavia
    Argentina/Cordoba Argentina/Jujuy Argentina/La_Rioja Argentina/Mendoza Argentina/Rio_Gallegos
    Argentina/Salta Argentina/San_Juan Argentina/San_Luis Argentina/Tucuman Argentina/Ushuaia Buenos_Aires
    Catamarca Cordoba Jujuy Mendoza Rosario AW: Aruba BB: Barbados BL: St_Barthelemy BO: La_Paz BQ:
    Kralendijk BR: Araguaina Bahia Belem Boa_Vista Campo_Grande Cuiaba Eirunepe Fortaleza Maceio Manaus
    Noronha Porto_Acre Porto_Velho Recife Rio_Branco Santarem Sao_Paulo BS: Nassau BZ: Belize CA: Atikokan
    Blanc-Sablon Cambridge_Bay Coral_Harbour Creston Dawson Dawson_Creek Edmonton Fort_Nelson Glace_Bay
    Goose_Bay Halifax Inuvik Iqaluit Moncton Montreal Nipigon Pangnirtung Rainy_River Rankin_Inlet Regina
    Resolute St_Johns Swift_Current Thunder_Bay Toronto Vancouver Whitehorse Winnipeg Yellowknife CL:
    Coyhaique Punta_Arenas Santiago CO: Bogota CR: Costa_Rica CU: Havana CW: Curacao DM: Dominica DO:
    Santo_Domingo EC: Guayaquil GD: Grenada GF: Cayenne GL: Danmarkshavn Godthab Nuuk Scoresbysund Thule GP:
    Guadeloupe GT: Guatemala GY: Guyana HN: Tegucigalpa HT: Port-au-Prince JM: Jamaica KN: St_Kitts KY:
    Cayman LC: St_Lucia MF: Marigot MQ: Martinique MS: Montserrat MX: Bahia_Banderas Cancun Chihuahua
    Ciudad_Juarez Ensenada Hermosillo Matamoros Mazatlan Merida Mexico_City Monterrey Ojinaga Santa_Isabel
    Tijuana NI: Managua PA: Panama PE: Lima PM: Miquelon PR: Puerto_Rico PY: Asuncion SR: Paramaribo SV:
    El_Salvador SX: Lower_Princes TC: Grand_Turk TT: Port_of_Spain US: Adak Anchorage Atka Boise Chicago
    Denver Detroit Fort_Wayne Indiana/Indianapolis Indiana/Knox Indiana/Marengo Indiana/Petersburg
    Indiana/Tell_City Indiana/Vevay Indiana/Vincennes Indiana/Winamac Indianapolis Juneau
    Kentucky/Louisville Kentucky/Monticello Knox_IN Los_Angeles Louisville Menominee Metlakatla New_York
    Nome North_Dakota/Beulah North_Dakota/Center North_Dakota/New_Salem Phoenix Shiprock Sitka Yakutat UY:
    Montevideo VC: St_Vincent VE: Caracas VG: Tortola VI: St_Thomas Virgin`,
  Antarctica: `
    AQ: Casey Davis DumontDUrville Mawson McMurdo Palmer Rothera South_Pole Syowa Troll Vostok AU: Macquarie`,
  Arctic: `
    SJ: Longyearbyen`,
  Asia: `
    AE: Dubai AF: Kabul AM: Yerevan AZ: Baku BD: Dacca Dhaka BH: Bahrain BN: Brunei BT: Thimbu Thimphu CN:
    Chongqing Chungking Harbin Kashgar Shanghai Urumqi CY: Famagusta Nicosia GE: Tbilisi HK: Hong_Kong ID:
    Jakarta Jayapura Makassar Pontianak Ujung_Pandang IL: Jerusalem Tel_Aviv IN: Calcutta Kolkata IQ:
    Baghdad IR: Tehran JO: Amman JP: Tokyo KG: Bishkek KH: Phnom_Penh KP: Pyongyang KR: Seoul KW: Kuwait KZ:
    Almaty Aqtau Aqtobe Atyrau Oral Qostanay Qyzylorda LA: Vientiane LB: Beirut LK: Colombo MM: Rangoon
    Yangon MN: Choibalsan Hovd Ulaanbaatar Ulan_Bator MO: Macao Macau MY: Kuala_Lumpur Kuching NP: Kathmandu
    Katmandu OM: Muscat PH: Manila PK: Karachi PS: Gaza Hebron QA: Qatar RU: Anadyr Barnaul Chita Irkutsk
    Kamchatka Khandyga Krasnoyarsk Magadan Novokuznetsk Novosibirsk Omsk Sakhalin Srednekolymsk Tomsk
    Ust-Nera Vladivostok Yakutsk Yekaterinburg SA: Riyadh SG: Singapore SY: Damascus TH: Bangkok TJ:
    Dushanbe TL: Dili TM: Ashgabat Ashkhabad TR: Istanbul TW: Taipei UZ: Samarkand Tashkent VN: Ho_Chi_Minh
    Saigon YE: Aden`,
  Atlantic: `
    BM: Bermuda CV: Cape_Verde ES: Canary FK: Stanley FO: Faeroe Faroe GS: South_Georgia IS: Reykjavik PT:
    Azores Madeira SH: St_Helena SJ: Jan_Mayen`,
  Australia: `
    AU: ACT Adelaide Brisbane Broken_Hill Canberra Currie Darwin Eucla Hobart LHI Lindeman Lord_Howe
    Melbourne NSW North Perth Queensland South Sydney Tasmania Victoria West Yancowinna`,
  Brazil: `
    BR: Acre DeNoronha East West`,
  Canada: `
    CA: Atlantic Central Eastern Mountain Newfoundland Pacific Saskatchewan Yukon`,
  Chile: `
    CL: Continental EasterIsland`,
  Europe: `
    AD: Andorra AL: Tirane AT: Vienna AX: Mariehamn BA: Sarajevo BE: Brussels BG: Sofia BY: Minsk CH: Zurich
    CY: Nicosia CZ: Prague DE: Berlin Busingen DK: Copenhagen EE: Tallinn ES: Madrid FI: Helsinki FR: Paris
    GB: Belfast London GG: Guernsey GI: Gibraltar GR: Athens HR: Zagreb HU: Budapest IE: Dublin IM:
    Isle_of_Man IT: Rome JE: Jersey LI: Vaduz LT: Vilnius LU: Luxembourg LV: Riga MC: Monaco MD: Chisinau
    Tiraspol ME: Podgorica MK: Skopje MT: Malta NL: Amsterdam NO: Oslo PL: Warsaw PT: Lisbon RO: Bucharest
    RS: Belgrade RU: Astrakhan Kaliningrad Kirov Moscow Samara Saratov Ulyanovsk Volgograd SE: Stockholm SI:
    Ljubljana SK: Bratislava SM: San_Marino TR: Istanbul UA: Kiev Kyiv Simferopol Uzhgorod Zaporozhye VA:
    Vatican`,
  Indian: `
    CC: Cocos CX: Christmas IO: Chagos KM: Comoro MG: Antananarivo MU: Mauritius MV: Maldives RE: Reunion
    SC: Mahe TF: Kerguelen YT: Mayotte`,
  Mexico: `
    MX: BajaNorte BajaSur General`,
  Pacific: `
    AS: Pago_Pago Samoa CK: Rarotonga CL: Easter EC: Galapagos FJ: Fiji FM: Chuuk Kosrae Pohnpei Ponape Truk
    Yap GU: Guam KI: Enderbury Kanton Kiritimati Tarawa MH: Kwajalein Majuro MP: Saipan NC: Noumea NF:
    Norfolk NR: Nauru NU: Niue NZ: Auckland Chatham PF: Gambier Marquesas Tahiti PG: Bougainville
    Port_Moresby PN: Pitcairn PW: Palau SB: Guadalcanal TK: Fakaofo TO: Tongatapu TV: Funafuti UM: Johnston
    Midway Wake US: Honolulu VU: Efate WF: Wallis WS: Apia`,
  US: `
    AS: Samoa US: Alaska Aleutian Arizona Central East-Indiana Eastern Hawaii Indiana-Starke Michigan
    Mountain Pacific Pacific-New`,
};

/** Returns the map from the zone's name in lower case to the ISO 3166-1 alpha-2 code; it is made for the first hit. */
export const countryByZone: () => ReadonlyMap<string, string> = once(
  () => new Map(Object.entries(zonesByArea).flatMap(([area, text]) => countriesOf(area, text))),
);

function countriesOf(area: string, text: string): [zone: string, country: string][] {
  const prefix = area === "" ? "" : `${area}/`;
  const pairs: [string, string][] = [];
  let country = "";
  for (const word of text.trim().split(/\s+/)) {
    if (word.endsWith(":")) country = word.slice(0, -1);
    else pairs.push([(prefix + word).toLowerCase(), country]);
  }
  return pairs;
}

/** Returns the ISO 3166-1 alpha-2 code; "" for a zone of no country and for anything that is no zone. Case is ignored. */
export function countryOf(timeZone: string): string {
  return countryByZone().get(timeZone.toLowerCase()) ?? "";
}
