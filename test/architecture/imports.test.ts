import { expect, test } from "vitest";
import { circlesOf, isForTests, reachedFrom, readImportGraph } from "./modules.ts";
import { everything, type Part, partOf, readLintRules, readParts } from "./parts.ts";

const graph = readImportGraph();
const parts = readParts();
const titleOf = (part: Part): string => part.paths.join(", ");

test("every module belongs to a part", () => {
  expect(graph.size).toBeGreaterThan(500);
  expect([...graph.keys()].filter((module) => partOf(parts, module) === undefined)).toEqual([]);
});

test("what is shipped imports nothing that only tests use", () => {
  const support = [...graph].flatMap(([module, imported]) =>
    imported.filter(isForTests).map((target) => `${module} imports ${target}`),
  );
  expect(support).toEqual([]);
});

test("every import is one that the table allows, and every allowed one is there", () => {
  const refused: string[] = [];
  const used = new Map(parts.map((part) => [part, new Set<string>()]));
  for (const [module, imported] of graph) {
    for (const target of imported) {
      const [from, to] = [partOf(parts, module), partOf(parts, target)];
      if (from === undefined || to === undefined || from === to) continue;
      const allowed = to.paths.find((path) => from.mayImport.includes(path));
      if (allowed !== undefined) used.get(from)?.add(allowed);
      else if (!from.mayImport.includes(everything)) refused.push(`${module} imports ${target}`);
    }
  }
  expect(refused).toEqual([]);
  for (const part of parts) {
    const unused = part.mayImport.filter((path) => path !== everything && used.get(part)?.has(path) !== true);
    expect(unused, `${titleOf(part)} may import what it does not`).toEqual([]);
  }
});

test("the API process has no engine that opens documents, and no converter", () => {
  const reached = reachedFrom(graph, "server/api.ts");
  expect(reached.size).toBeGreaterThan(500);
  const opening = /^server\/pipeline\/(?:engines|convert)\//;
  expect([...reached].filter((module) => opening.test(module))).toEqual([]);
  expect([...reachedFrom(graph, "server/pipeline/threads/thread.ts")].some((module) => opening.test(module))).toBe(
    true,
  );
});

test("stores and the pipeline know of the ranking how texts and questions are read, and no more", () => {
  const others = [...graph].filter(([module]) => /^server\/(?:storage|pipeline)\//.test(module));
  const known = others.flatMap(([, imported]) => imported.filter((target) => target.startsWith("server/ranking/")));
  expect(known.length).toBeGreaterThan(5);
  expect(known.filter((target) => !/^server\/ranking\/(?:terms|parse)\//.test(target))).toEqual([]);
});

/** The way of a question through `server/ranking`; what is beside these folders drives it. */
const stages = ["terms", "parse", "retrieve", "fuse", "rerank", "calibrate", "answer"];

test("a question goes through the ranking without coming back", () => {
  const room = "server/ranking/";
  const stageOf = (module: string): number => stages.indexOf(module.slice(room.length).split("/")[0] ?? "");
  const steps = [...graph].flatMap(([module, imported]) =>
    imported
      .filter((target) => module.startsWith(room) && target.startsWith(room))
      .map((target) => ({ what: `${module} imports ${target}`, from: stageOf(module), to: stageOf(target) })),
  );
  expect(new Set(steps.map(({ from }) => from)).size).toBe(stages.length + 1);
  expect(steps.filter(({ from, to }) => from >= 0 && to > from).map(({ what }) => what)).toEqual([]);
  const driving = steps.filter(({ from, to, what }) => from >= 0 && to < 0 && !what.endsWith("/observe-part.ts"));
  expect(driving.map(({ what }) => what)).toEqual([]);
});

test("no module reaches itself, not even by types", () => {
  expect(circlesOf(graph)).toEqual([]);
  expect(circlesOf(readImportGraph(["bench", "models", "tools"]))).toEqual([]);
});

test("the lint rules refuse what the table does not allow", () => {
  const rules = readLintRules();
  const folders = parts.filter(
    ({ paths, mayImport }) => /^server\/.+\/$/.test(paths[0] ?? "") && !mayImport.includes(everything),
  );
  const missing = folders.flatMap((part) => {
    const forbidden = rules.get(`${titleOf(part)}**`) ?? [];
    const outward = folders.map(titleOf).filter((other) => other !== titleOf(part) && !part.mayImport.includes(other));
    return outward
      .filter((other) => !forbidden.includes(`**/${other.slice("server/".length)}**`))
      .map((other) => `${titleOf(part)} ↛ ${other}`);
  });
  expect(folders).toHaveLength(15);
  expect(missing).toEqual([]);
});
