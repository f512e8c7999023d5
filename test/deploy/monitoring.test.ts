import { globSync, readFileSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { hasTool, runTool } from "../service/tools.ts";

const root = join(import.meta.dirname, "../..");
const read = (path: string): string => readFileSync(join(root, path), "utf8");

const dashboards = globSync("deploy/grafana/*.json", { cwd: root });
const rules = "deploy/prometheus/alerts.yaml";

/** The metrics of drs with their types; test/features/metrics.test.ts compares the table with a server's answer. */
const metrics = new Map(
  [...read("docs/reference/metrics.md").matchAll(/^\| `(drs_\w+)` \| (\w+) \|/gm)].map(([, name = "", type = ""]) => [
    name,
    type,
  ]),
);

/** Series that a query may name. */
const series = new Set(
  [...metrics].flatMap(([name, type]) =>
    type === "histogram" ? ["_bucket", "_sum", "_count"].map((suffix) => name + suffix) : [name],
  ),
);

const seriesIn = (text: string): string[] => [...new Set([...text.matchAll(/\bdrs_\w+/g)].map(([name]) => name))];

interface Dashboard {
  readonly uid: string;
  readonly panels: readonly {
    readonly id: number;
    readonly title: string;
    readonly targets: readonly { expr: string }[];
  }[];
}

const dashboardAt = (path: string): Dashboard => JSON.parse(read(path)) as Dashboard;

describe("dashboards", () => {
  test("there are four, each with an id of its own", () => {
    expect(new Set(dashboards.map((path) => dashboardAt(path).uid)).size).toBe(4);
  });

  test.each(dashboards)("%s asks for series that there are", (path) => {
    const { panels } = dashboardAt(path);
    const queries = panels.flatMap(({ targets }) => targets.map(({ expr }) => expr));
    expect(queries.length).toBeGreaterThan(5);
    expect(seriesIn(queries.join("\n")).filter((name) => !series.has(name))).toEqual([]);
    expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
  });

  test("gauges that every process has in common are not added up", () => {
    const shared = /sum\((?:rate\()?drs_(?:queue|index|rendition_cache)_/;
    for (const path of dashboards) {
      for (const { targets } of dashboardAt(path).panels)
        for (const { expr } of targets) expect(expr).not.toMatch(shared);
    }
  });

  test("every metric is on a dashboard", () => {
    const shown = new Set(dashboards.flatMap((path) => seriesIn(read(path))));
    expect([...metrics.keys()].filter((name) => ![...shown].some((one) => one.startsWith(name)))).toEqual([]);
  });

  test.skipIf(!hasTool("promtool"))("Prometheus can read every query (needs promtool)", async () => {
    const queries = dashboards.flatMap((path) => dashboardAt(path).panels.flatMap(({ targets }) => targets));
    const rules = queries.map(({ expr }, index) => ({
      record: `query:${index}`,
      expr: expr.replaceAll("$__rate_interval", "1m").replaceAll("$job", "drs"),
    }));
    const folder = await mkdtemp(join(tmpdir(), "drs-queries-"));
    const file = join(folder, "queries.yaml");
    // JSON is YAML.
    await writeFile(file, JSON.stringify({ groups: [{ name: "queries", rules }] }));
    const said = runTool("promtool", ["check", "rules", file]);
    await rm(folder, { recursive: true });
    expect(said).toContain(`SUCCESS: ${queries.length} rules found`);
  });
});

describe("alerts", () => {
  const names = [...read(rules).matchAll(/^ +- alert: (\w+)$/gm)].map(([, name = ""]) => name);

  test("they ask for series that there are", () => {
    expect(names.length).toBeGreaterThan(15);
    expect(seriesIn(read(rules)).filter((name) => !series.has(name))).toEqual([]);
  });

  test("each is described in docs/how-to/operations.md, and points there", () => {
    const described = [...read("docs/how-to/operations.md").matchAll(/^### (Drs\w+)$/gm)].map(([, name = ""]) => name);
    expect(described.toSorted()).toEqual(names.toSorted());
    for (const name of names)
      expect(read(rules)).toContain(`runbook: docs/how-to/operations.md#${name.toLowerCase()}\n`);
  });

  test.skipIf(!hasTool("promtool"))("they fire when they should, and only then (needs promtool)", () => {
    expect(runTool("promtool", ["check", "rules", join(root, rules)])).toContain(
      `SUCCESS: ${names.length} rules found`,
    );
    expect(runTool("promtool", ["test", "rules", join(root, "deploy/prometheus/alerts.test.yaml")])).toContain(
      "SUCCESS",
    );
    const tried = read("deploy/prometheus/alerts.test.yaml");
    expect(names.filter((name) => !tried.includes(name))).toEqual([]);
  });
});
