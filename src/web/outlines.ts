/**
 * The outlines of the countries as small SVG path data. They are made when the dashboard is built, never in a browser.
 * The data is from Natural Earth by way of world-atlas 2.0.2, at 1:110,000,000 and, for countries too small there,
 * 1:50,000,000; Natural Earth is in the public domain.
 */
import { readFileSync } from "node:fs";
import { codes, leftOut, territories, type Point } from "./atlas-names.ts";
import type { WorldOutlines } from "./lib/drawing/choropleth.ts";

/** The part of TopoJSON that the atlas uses: https://github.com/topojson/topojson-specification */
interface Topology {
  readonly transform: { readonly scale: Point; readonly translate: Point };
  /** Each point after an arc's first one is the difference to the point before. */
  readonly arcs: readonly (readonly Point[])[];
  readonly objects: { readonly countries: { readonly geometries: readonly Geometry[] } };
}

type Geometry = { readonly properties: { readonly name: string } } & (
  | { readonly type: "Polygon"; readonly arcs: ArcPolygon }
  | { readonly type: "MultiPolygon"; readonly arcs: readonly ArcPolygon[] }
);
/** Rings of indices of arcs; `~index` is an arc backwards. */
type ArcPolygon = readonly (readonly number[])[];

type Ring = readonly Point[];
/** The outer ring, then its holes. */
type Polygon = readonly Ring[];

/** The width and the margin of the drawing, in its own units. */
const width = 2_000;
const margin = 12;
/** A country with a smaller area, in square units, needs a dot to be seen or hit. */
const visibleArea = 50;
/** Degrees. The map ends in the Bering Strait, at 169° west; islands beyond it stay with their country. */
const centralMeridian = 11;

const names = new Intl.DisplayNames("en", { type: "region", fallback: "none" });

export function worldOutlines(): WorldOutlines {
  const coarse = polygonsByName("countries-110m.json");
  const fine = polygonsByName("countries-50m.json");
  const dots = new Map<string, Point>();
  for (const [code, places] of Object.entries(territories)) {
    const points = places.map(([longitude, latitude]) => projected([normal(longitude), latitude]));
    const cut = points.flatMap((point) => cutOut(coarse, point));
    if (cut.length > 0) coarse.set(nameOf(code), cut);
    else dots.set(nameOf(code), points[0]!);
  }
  for (const [name, polygons] of fine) {
    const drawn = coarse.get(name);
    const largest = largestOf(drawn ?? polygons);
    if (drawn === undefined || areaOf(largest) < visibleArea) dots.set(name, centreOf(largest));
  }
  return fitted(coarse, dots);
}

/** Returns the countries moved so that x and y begin at 0, with rounded coordinates. */
function fitted(countries: ReadonlyMap<string, Polygon[]>, dots: ReadonlyMap<string, Point>): WorldOutlines {
  const points = [...[...countries.values()].flat(2).flat(), ...dots.values()];
  const [left, right] = rangeOf(points.map(([x]) => x));
  const [top, bottom] = rangeOf(points.map(([, y]) => y));
  const moved = ([x, y]: Point): Point => [Math.round(x - left), Math.round(y - top)];
  return {
    viewBox: [0, 0, right - left, bottom - top].map(Math.round).join(" "),
    countries: Object.fromEntries(
      [...countries].map(([name, polygons]) => [
        name,
        polygons
          .flat()
          .map((ring) => pathData(ring.map(moved)))
          .join(""),
      ]),
    ),
    dots: Object.fromEntries([...dots].map(([name, point]) => [name, moved(point)])),
  };
}

/** Returns the range of the values with the margin around it. */
function rangeOf(values: readonly number[]): [low: number, high: number] {
  const low = values.reduce((a, b) => Math.min(a, b));
  const high = values.reduce((a, b) => Math.max(a, b));
  return [low - margin, high + margin];
}

/** Returns the projected polygons by the API's names, with y downwards. */
function polygonsByName(file: string): Map<string, Polygon[]> {
  const path = Bun.resolveSync(`world-atlas/${file}`, import.meta.dir);
  const topology = JSON.parse(readFileSync(path, "utf8")) as Topology;
  const found = new Map<string, Polygon[]>();
  for (const geometry of topology.objects.countries.geometries) {
    const { name: atlasName } = geometry.properties;
    if (leftOut.includes(atlasName)) continue;
    const code = codes[atlasName];
    const name = code === undefined ? atlasName : nameOf(code);
    const shapes = geometry.type === "Polygon" ? [geometry.arcs] : geometry.arcs;
    const polygons = beside(shapes.map((shape) => shape.map((arcs) => ringOf(topology, arcs))));
    const drawn = polygons.map((polygon) => polygon.map((ring) => ring.map(projected)));
    found.set(name, [...(found.get(name) ?? []), ...drawn]);
  }
  return found;
}

function nameOf(code: string): string {
  const name = names.of(code);
  if (name === undefined) throw new Error(`the runtime has no name for ${code}`);
  return name;
}

/** Returns a ring in degrees. A step over the 180th meridian continues beyond it. The last point equals the first. */
function ringOf({ arcs, transform }: Topology, indices: readonly number[]): Point[] {
  const { scale, translate } = transform;
  const ring: Point[] = [];
  for (const index of indices) {
    let x = 0;
    let y = 0;
    const arc = (arcs[index < 0 ? ~index : index] ?? []).map(([dx, dy]): Point => {
      x += dx;
      y += dy;
      return [x * scale[0] + translate[0], y * scale[1] + translate[1]];
    });
    for (const [longitude, latitude] of index < 0 ? arc.reverse() : arc) {
      const before = ring.at(-1)?.[0] ?? longitude;
      ring.push([nearest(longitude, before), latitude]);
    }
  }
  return ring;
}

/** Returns polygons in degrees, turned by whole circles until they are next to the largest. */
function beside(polygons: readonly Polygon[]): Polygon[] {
  const meridian = normal(middleOf(largestOf(polygons)));
  return polygons.map((polygon) => {
    const turn = nearest(middleOf(polygon), meridian) - middleOf(polygon);
    return polygon.map((ring) => ring.map(([longitude, latitude]): Point => [longitude + turn, latitude]));
  });
}

/** Returns the mean longitude. */
function middleOf([outer = []]: Polygon): number {
  return outer.reduce((sum, [longitude]) => sum + longitude, 0) / outer.length;
}

/** Returns the same longitude within 180 degrees of a meridian. */
function nearest(longitude: number, meridian: number): number {
  return longitude - 360 * Math.round((longitude - meridian) / 360);
}

function normal(longitude: number): number {
  return nearest(longitude, centralMeridian);
}

/**
 * Projects degrees to units of the drawing, y downwards, by Equal Earth: areas are true, so that no country looks more
 * important than it is. Formula and coefficients: Šavrič, Patterson, Jenny, "The Equal Earth map projection",
 * International Journal of Geographical Information Science 33 (2019), doi 10.1080/13658816.2018.1504949.
 * Exported for tests.
 */
export function projected([longitude, latitude]: Point): Point {
  const [a1, a2, a3, a4] = [1.340264, -0.081106, 0.000893, 0.003796];
  const radian = Math.PI / 180;
  const lambda = (longitude - centralMeridian) * radian;
  const theta = Math.asin((Math.sqrt(3) / 2) * Math.sin(latitude * radian));
  const slope = 9 * a4 * theta ** 8 + 7 * a3 * theta ** 6 + 3 * a2 * theta ** 2 + a1;
  const x = (2 * Math.sqrt(3) * lambda * Math.cos(theta)) / (3 * slope);
  const y = a4 * theta ** 9 + a3 * theta ** 7 + a2 * theta ** 3 + a1 * theta;
  const equator = (4 * Math.PI) / (Math.sqrt(3) * a1);
  return [(x / equator) * width, (-y / equator) * width];
}

/** Takes the polygon around `point` from its country, unless it is the country's largest. */
function cutOut(countries: Map<string, Polygon[]>, point: Point): Polygon[] {
  for (const [name, polygons] of countries) {
    const mainland = largestOf(polygons);
    const around = polygons.filter((polygon) => polygon !== mainland && contains(polygon[0] ?? [], point));
    if (around.length === 0) continue;
    countries.set(
      name,
      polygons.filter((polygon) => !around.includes(polygon)),
    );
    return around;
  }
  return [];
}

/** Returns whether a ray from the point to the right crosses the ring an odd number of times. */
function contains(ring: Ring, [x, y]: Point): boolean {
  return ring.slice(1).reduce((inside, [x1, y1], at) => {
    const [x0, y0] = ring[at]!;
    const crosses = y0 > y !== y1 > y && x < x0 + ((x1 - x0) * (y - y0)) / (y1 - y0);
    return crosses ? !inside : inside;
  }, false);
}

function largestOf(polygons: readonly Polygon[]): Polygon {
  return polygons.reduce((largest, polygon) => (areaOf(polygon) > areaOf(largest) ? polygon : largest));
}

/** Returns the area of the outer ring. */
function areaOf([outer = []]: Polygon): number {
  return Math.abs(momentsOf(outer).area);
}

function centreOf([outer = []]: Polygon): Point {
  const { area, x, y } = momentsOf(outer);
  return [x / (3 * area), y / (3 * area)];
}

/** Returns the signed area, and the first moments: divided by three times the area they are the centre. */
function momentsOf(ring: Ring): { area: number; x: number; y: number } {
  const sum = { area: 0, x: 0, y: 0 };
  ring.slice(1).forEach(([x1, y1], at) => {
    const [x0, y0] = ring[at]!;
    const half = (x0 * y1 - x1 * y0) / 2;
    sum.area += half;
    sum.x += (x0 + x1) * half;
    sum.y += (y0 + y1) * half;
  });
  return sum;
}

/** Returns path data for a ring of integers, with relative lines. A ring smaller than a unit gives no data. */
function pathData(ring: Ring): string {
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
