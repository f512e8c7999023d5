import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";

/** Module by module what it imports, type-only imports included; paths are relative to the repository's root. */
export type ImportGraph = ReadonlyMap<string, readonly string[]>;

const root = join(import.meta.dirname, "../..");

/** Imports as `oxfmt` formats them: one import or export per statement, from the start of a line; and dynamic imports anywhere. */
const imports = /^(?:import|export)\b[^;"]*?\bfrom "([^"]+)";|^import "([^"]+)";|\bimport\("([^"]+)"\)/gm;

const packages: Readonly<Record<string, string>> = {
  "@drs/client": "clients/typescript",
  "@drs/server": "server",
  "@drs/console": "console",
};

const shipped = ["server", "cli", "console", "clients/typescript"];

/** The graph of what is shipped, or of other folders: tests and what only they use are left out. */
export function readImportGraph(folders: readonly string[] = shipped): ImportGraph {
  const tracked = execFileSync("git", ["ls-files", "-z", "--", ...folders], { cwd: root, encoding: "utf8" });
  const modules = tracked.split("\0").filter((path) => /\.tsx?$/.test(path) && !isForTests(path));
  return new Map(modules.map((path) => [path, importsOf(path)]));
}

/** A test, or what only tests use: `tsconfig.build.json` leaves it out of the packages. */
export const isForTests = (path: string): boolean => /\.test\.tsx?$|\/testing\/|^test\//.test(path);

function importsOf(path: string): string[] {
  const source = readFileSync(join(root, path), "utf8");
  const named = [...source.matchAll(imports)].flatMap(([, from, bare, dynamic]) => from ?? bare ?? dynamic ?? []);
  return named.flatMap((name) => resolveModule(path, name));
}

/** None: a module of another package than ours. Several: which of them is imported depends on the runtime. */
function resolveModule(importer: string, name: string): string[] {
  if (name.startsWith(".")) return [normalize(join(dirname(importer), name))];
  if (name.startsWith("#")) return targetsOf(folderOf(importer), "imports", name);
  const [scope = "", base = "", ...inside] = name.split("/");
  const folder = packages[`${scope}/${base}`];
  if (folder === undefined) return [];
  return targetsOf(folder, "exports", inside.length === 0 ? "." : `./${inside.join("/")}`);
}

/** Returns the folder of our package that a module is in. */
function folderOf(module: string): string {
  return Object.values(packages).find((folder) => module.startsWith(`${folder}/`)) ?? "cli";
}

/** The modules that the manifest of a package means by a name. */
function targetsOf(folder: string, field: "imports" | "exports", name: string): string[] {
  const manifest: Record<string, Record<string, unknown>> = JSON.parse(
    readFileSync(join(root, folder, "package.json"), "utf8"),
  );
  for (const [pattern, target] of Object.entries(manifest[field] ?? {})) {
    const [before = "", after] = pattern.split("*");
    const isPart = after !== undefined && name.startsWith(before) && name.endsWith(after);
    if (pattern !== name && !isPart) continue;
    const part = isPart ? name.slice(before.length, name.length - after.length) : "";
    return pathsIn(target).map((path) => normalize(join(folder, path.replace("*", part))));
  }
  throw new Error(`the package in ${folder} has no ${name} among its ${field}`);
}

/** One path, or one for each condition. */
function pathsIn(target: unknown): string[] {
  if (typeof target === "string") return [target];
  return typeof target === "object" && target !== null ? Object.values(target).flatMap(pathsIn) : [];
}

/** The module, and all that it imports directly or by others. */
export function reachedFrom(graph: ImportGraph, module: string): ReadonlySet<string> {
  const reached = new Set([module]);
  // It grows while it is gone through.
  for (const each of reached) for (const target of graph.get(each) ?? []) reached.add(target);
  return reached;
}

/** Sets of modules that reach each other (Tarjan, "Depth-first search and linear graph algorithms", 1972). */
export function circlesOf(graph: ImportGraph): string[][] {
  const order = new Map<string, number>();
  const low = new Map<string, number>();
  const stack: string[] = [];
  const circles: string[][] = [];

  function visit(module: string): number {
    const index = order.size;
    order.set(module, index);
    let lowest = index;
    stack.push(module);
    for (const next of graph.get(module) ?? []) {
      if (!graph.has(next)) continue;
      if (!order.has(next)) lowest = Math.min(lowest, visit(next));
      else if (stack.includes(next)) lowest = Math.min(lowest, order.get(next) ?? 0);
    }
    low.set(module, lowest);
    if (lowest === index) {
      const circle = stack.splice(stack.indexOf(module));
      if (circle.length > 1) circles.push(circle.toSorted());
    }
    return lowest;
  }

  for (const module of graph.keys()) if (!order.has(module)) visit(module);
  return circles;
}
