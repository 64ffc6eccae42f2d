/**
 * Plausible's export as its sources write it (lib/plausible/exports.ex): the columns in their order, of a website with
 * two days in February and two in March 2024, and one day in May.
 */
import { zipOf } from "./made-zip.ts";

const dates = "_20240210_20240503.csv";

/** Each file with its header and rows; the sums of each agree with those of the days. */
export const plausibleFiles: Readonly<Record<string, string>> = {
  [`imported_visitors${dates}`]: `"date","visitors","pageviews","bounces","visits","visit_duration"
"2024-02-10",10,30,4,12,600
"2024-02-29",5,9,2,5,100
"2024-03-01",7,20,3,8,400
"2024-03-31",20,50,5,25,2500
"2024-05-03",1,1,1,1,0
`,
  [`imported_sources${dates}`]: `"date","source","referrer","utm_source","utm_medium","utm_campaign","utm_content","utm_term","pageviews","visitors","visits","visit_duration","bounces"
"2024-02-10","Google","google.com","","","","","",20,6,7,400,2
"2024-02-10","","","","","","","",10,4,5,200,2
"2024-02-29","","","","","","","",9,5,5,100,2
"2024-03-01","newsletter","","newsletter","email","März, 2024","","",20,7,8,400,3
"2024-03-31","Google","google.com/search","","","","","",50,20,25,2500,5
"2024-05-03","Some Blog","","","","","","",1,1,1,0,1
`,
  [`imported_pages${dates}`]: `"date","hostname","page","visits","visitors","pageviews","total_scroll_depth","total_scroll_depth_visits","total_time_on_page","total_time_on_page_visits"
"2024-02-10","example.com","/",10,9,20,500,9,300,9
"2024-02-10","example.com","/a ""b""/",5,5,10,100,5,200,4
"2024-02-29","example.com","/",5,5,9,\\N,\\N,\\N,\\N
"2024-03-01","example.com","/",8,7,20,100,8,300,8
"2024-03-31","example.com","/",25,20,50,100,8,2000,25
"2024-05-03","example.com","/",1,1,1,0,0,0,0
`,
  [`imported_entry_pages${dates}`]: `"date","entry_page","visitors","entrances","visit_duration","bounces","pageviews"
"2024-02-10","/",8,9,500,3,25
"2024-02-10","/a ""b""/",3,3,100,1,5
"2024-02-29","/",5,5,100,2,9
"2024-03-01","/",7,8,400,3,20
"2024-03-31","/",20,25,2500,5,50
"2024-05-03","/",1,1,0,1,1
`,
  [`imported_exit_pages${dates}`]: `"date","exit_page","visitors","visit_duration","exits","bounces","pageviews"
"2024-02-10","/",7,500,8,3,25
"2024-02-10","/a ""b""/",4,100,4,1,5
"2024-02-29","/",5,100,5,2,9
"2024-03-01","/",7,400,8,3,20
"2024-03-31","/",20,2500,25,5,50
"2024-05-03","/",1,0,1,1,1
`,
  [`imported_custom_events${dates}`]: `"date","name","link_url","path","visitors","events"
"2024-02-10","Signup","","",2,3
"2024-02-10","Outbound Link: Click","https://example.org/","",1,1
"2024-02-10","engagement","","",10,300
"2024-03-31","Signup","","",4,4
`,
  [`imported_locations${dates}`]: `"date","country","region","city","visitors","visits","visit_duration","bounces","pageviews"
"2024-02-10","DE","DE-BE",2950159,6,7,300,2,18
"2024-02-10","DE","DE-HH",2911298,1,1,100,0,4
"2024-02-29","AT","",0,5,5,100,2,9
"2024-03-01","DE","",0,7,8,400,3,20
"2024-03-31","DE","",0,20,25,2500,5,50
`,
  [`imported_devices${dates}`]: `"date","device","visitors","visits","visit_duration","bounces","pageviews"
"2024-02-10","Desktop",8,9,500,3,24
"2024-02-10","Mobile",2,3,100,1,6
"2024-02-29","Laptop",5,5,100,2,9
"2024-03-01","Mobile",7,8,400,3,20
"2024-03-31","Mobile",20,25,2500,5,50
"2024-05-03","Tablet",1,1,0,1,1
`,
  [`imported_browsers${dates}`]: `"date","browser","browser_version","visitors","visits","visit_duration","bounces","pageviews"
"2024-02-10","Firefox","122.0",4,5,300,2,14
"2024-02-10","Firefox","121.0",4,4,200,1,10
"2024-02-10","Chrome","121.0",2,3,100,1,6
"2024-02-29","Safari","17.0",5,5,100,2,9
"2024-03-01","Mobile App","",7,8,400,3,20
"2024-03-31","Firefox","123.0",20,25,2500,5,50
"2024-05-03","Firefox","123.0",1,1,0,1,1
`,
  [`imported_operating_systems${dates}`]: `"date","operating_system","operating_system_version","visitors","visits","visit_duration","bounces","pageviews"
"2024-02-10","Mac","14",8,9,500,3,24
"2024-02-10","GNU/Linux","",2,3,100,1,6
"2024-02-29","iOS","17",5,5,100,2,9
"2024-03-01","Android","14",7,8,400,3,20
"2024-03-31","Windows","10",20,25,2500,5,50
"2024-05-03","Windows","10",1,1,0,1,1
`,
};

/** The same of another website. */
export const plausibleFilesOf = (hostname: string) =>
  Object.fromEntries(
    Object.entries(plausibleFiles).map(([name, text]) => [name, text.replaceAll("example.com", hostname)]),
  );

export const plausibleZip = (isDeflated = false, hostname = "example.com") =>
  zipOf(plausibleFilesOf(hostname), isDeflated);
