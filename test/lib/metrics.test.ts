import { describe, expect, test } from "bun:test";
import { Counter, gaugeLines, Histogram } from "../../src/lib/metrics.ts";

describe("the text of metrics", () => {
  test("of a counter has a line for each combination of labels", () => {
    const counter = new Counter({ name: "hits_total", help: "Hits", labels: ["outcome", "place"] });
    counter.add("accepted", "here");
    counter.add("accepted", "here");
    counter.add('a "b" \\ c', "there");
    expect(counter.lines()).toEqual([
      "# HELP hits_total Hits",
      "# TYPE hits_total counter",
      'hits_total{outcome="accepted",place="here"} 2',
      'hits_total{outcome="a \\"b\\" \\\\ c",place="there"} 1',
    ]);
  });

  test("of a histogram counts what is at most as large as each bound", () => {
    const histogram = new Histogram({ name: "seconds", help: "Time", label: "kind" }, [0.1, 1]);
    for (const value of [0.1, 0.5, 5]) histogram.observe("hit", value);
    expect(histogram.lines()).toEqual([
      "# HELP seconds Time",
      "# TYPE seconds histogram",
      'seconds_bucket{kind="hit",le="0.1"} 1',
      'seconds_bucket{kind="hit",le="1"} 2',
      'seconds_bucket{kind="hit",le="+Inf"} 3',
      'seconds_sum{kind="hit"} 5.6',
      'seconds_count{kind="hit"} 3',
    ]);
  });

  test("of a figure may have no label", () => {
    expect(gaugeLines({ name: "size", help: "Size" }, 3)).toEqual([
      "# HELP size Size",
      "# TYPE size gauge",
      "size 3",
    ]);
  });
});
