/**
 * The outlines of the countries as small SVG path data. They are made when the dashboard is built, never in a browser.
 * The data is from Natural Earth by way of world-atlas 2.0.2, at 1:110,000,000 and, for countries too small there,
 * 1:50,000,000; Natural Earth is in the public domain.
 */
import { readFileSync } from "node:fs";
import { geoArea, geoCentroid, geoContains, geoEqualEarthRaw, geoPath } from "d3-geo";
import type { MultiPolygon, Polygon, Position } from "geojson";
import { feature } from "topojson-client";
import type { GeometryCollection, Topology } from "topojson-specification";
import { codes, leftOut, territories, type Point } from "./atlas-names.ts";
import type { WorldOutlines } from "./lib/drawing/choropleth.ts";

type Atlas = Topology<{ countries: GeometryCollection<{ name: string }> }>;

/** The width and the margin of the drawing, in its own units. */
const width = 2_000;
const margin = 12;
/** A country with a smaller area, in square units, needs a dot to be seen or hit. */
const visibleArea = 50;
/** Degrees. The map ends in the Bering Strait, at 169° west; islands beyond it stay with their country. */
const centralMeridian = 11;
/** The units of the drawing in a radius of the earth. */
const unit = width / (2 * geoEqualEarthRaw(Math.PI, 0)[0]);

const names = new Intl.DisplayNames("en", { type: "region", fallback: "none" });
const path = geoPath();

export function worldOutlines(): WorldOutlines {
  const coarse = polygonsByName("countries-110m.json", territories);
  const dots = new Map<string, Position>();
  for (const [code, [place]] of Object.entries(territories))
    if (!coarse.has(nameOf(code)))
      dots.set(nameOf(code), projected([nearest(place![0], centralMeridian), place![1]]));
  for (const [name, polygons] of polygonsByName("countries-50m.json", {})) {
    const drawn = coarse.get(name);
    const largest = largestOf(drawn ?? polygons, path.area);
    if (drawn === undefined || path.area(largest) < visibleArea) dots.set(name, path.centroid(largest));
  }
  return fitted(coarse, dots);
}

/** Returns the countries moved so that x and y begin at 0, with rounded coordinates. */
function fitted(
  countries: ReadonlyMap<string, Polygon[]>,
  dots: ReadonlyMap<string, Position>,
): WorldOutlines {
  const rings = [...countries.values()].flat().flatMap(({ coordinates }) => coordinates);
  const points = [...rings.flat(), ...dots.values()];
  const [[left, top], [right, bottom]] = path.bounds({ type: "MultiPoint", coordinates: points });
  const moved = ([x, y]: Position): Point => [Math.round(x! - left + margin), Math.round(y! - top + margin)];
  const pathOf = ({ coordinates }: Polygon) => coordinates.map((ring) => pathData(ring.map(moved))).join("");
  return {
    viewBox: [0, 0, ...moved([right + margin, bottom + margin])].join(" "),
    countries: Object.fromEntries(
      [...countries].map(([name, polygons]) => [name, polygons.map(pathOf).join("")]),
    ),
    dots: Object.fromEntries([...dots].map(([name, point]) => [name, moved(point)])),
  };
}

/**
 * Returns the projected polygons by the API's names. Islands beyond the 180th meridian are next to the others. A polygon in
 * which one of the territories has a place is that one's, unless it is the largest of its country.
 */
function polygonsByName(file: string, cut: typeof territories): Map<string, Polygon[]> {
  const atlas = JSON.parse(
    readFileSync(Bun.resolveSync(`world-atlas/${file}`, import.meta.dir), "utf8"),
  ) as Atlas;
  const found = new Map<string, Polygon[]>();
  for (const { geometry, properties } of feature(atlas, atlas.objects.countries).features) {
    if (leftOut.includes(properties.name)) continue;
    const code = codes[properties.name];
    const country = code === undefined ? properties.name : nameOf(code);
    const polygons = polygonsOf(geometry as Polygon | MultiPolygon);
    const meridian = nearest(geoCentroid(geometry)[0], centralMeridian);
    for (const polygon of polygons) {
      const territory = territoryIn(polygon, cut);
      const isCut = territory !== undefined && polygon !== largestOf(polygons, geoArea);
      const name = isCut ? territory : country;
      const drawn = polygon.coordinates.map((ring) =>
        ring.map(([longitude, latitude]) => projected([nearest(longitude!, meridian), latitude!])),
      );
      found.set(name, [...(found.get(name) ?? []), { type: "Polygon", coordinates: drawn }]);
    }
  }
  return found;
}

function polygonsOf(geometry: Polygon | MultiPolygon): Polygon[] {
  if (geometry.type === "Polygon") return [geometry];
  return geometry.coordinates.map((coordinates) => ({ type: "Polygon", coordinates }));
}

/** Returns the name of the territory that has a place in the polygon. */
function territoryIn(polygon: Polygon, all: typeof territories): string | undefined {
  const code = Object.keys(all).find((code) => all[code]!.some(([x, y]) => geoContains(polygon, [x, y])));
  return code === undefined ? undefined : nameOf(code);
}

function nameOf(code: string): string {
  const name = names.of(code);
  if (name === undefined) throw new Error(`the runtime has no name for ${code}`);
  return name;
}

function largestOf(polygons: readonly Polygon[], areaOf: (polygon: Polygon) => number): Polygon {
  return polygons.reduce((largest, polygon) => (areaOf(polygon) > areaOf(largest) ? polygon : largest));
}

/** Returns the same longitude within 180 degrees of a meridian. */
function nearest(longitude: number, meridian: number): number {
  return longitude - 360 * Math.round((longitude - meridian) / 360);
}

/**
 * Projects degrees to units of the drawing, y downwards, by Equal Earth: areas are true, so that no country looks more
 * important than it is. Exported for tests.
 */
export function projected([longitude, latitude]: Point): [x: number, y: number] {
  const radian = Math.PI / 180;
  const [x, y] = geoEqualEarthRaw((longitude - centralMeridian) * radian, latitude * radian);
  return [x * unit, -y * unit];
}

/** Returns path data for a ring of integers, with relative lines. A ring smaller than a unit gives no data. */
function pathData(ring: readonly Point[]): string {
  const points = ring.filter(([x, y], at) => at === 0 || x !== ring[at - 1]?.[0] || y !== ring[at - 1]?.[1]);
  if (points.length < 4) return "";
  // The path closes itself.
  const numbers = points.slice(0, -1).map(([x, y], at): Point => {
    const [x0, y0] = points[at - 1] ?? [0, 0];
    return [x - x0, y - y0];
  });
  const [[x, y] = [0, 0], ...steps] = numbers;
  const text = steps.flat().map((number, at) => (number < 0 || at === 0 ? `${number}` : ` ${number}`));
  return `M${x} ${y}l${text.join("")}z`;
}
