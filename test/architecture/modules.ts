import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";

/** Module by module what it imports, type-only imports included; paths are relative to the repository's root. */
export type ImportGraph = ReadonlyMap<string, readonly string[]>;

const root = join(import.meta.dirname, "../..");

/** What `oxfmt` leaves: one import or export a statement, from the start of a line; and dynamic imports anywhere. */
const imports = /^(?:import|export)\b[^;"]*?\bfrom "([^"]+)";|^import "([^"]+)";|\bimport\("([^"]+)"\)/gm;

const packages: Readonly<Record<string, string>> = {
  "@drs/client": "clients/typescript",
  "@drs/server": "server",
};

/** The graph of what is shipped: tests and what only they use are left out. */
export function readImportGraph(): ImportGraph {
  const tracked = execFileSync("git", ["ls-files", "-z", "--", "server", "cli", "clients/typescript"], {
    cwd: root,
    encoding: "utf8",
  });
  const modules = tracked.split("\0").filter((path) => /\.tsx?$/.test(path) && !isForTests(path));
  return new Map(modules.map((path) => [path, importsOf(path)]));
}

/** A test, or what only tests use: `tsconfig.build.json` leaves it out of the packages. */
export const isForTests = (path: string): boolean => /\.test\.tsx?$|\/testing\/|^test\//.test(path);

function importsOf(path: string): string[] {
  const source = readFileSync(join(root, path), "utf8");
  const named = [...source.matchAll(imports)].flatMap(([, from, bare, dynamic]) => from ?? bare ?? dynamic ?? []);
  return named.flatMap((name) => resolveModule(path, name) ?? []);
}

/** Undefined: a module of another package than ours. */
function resolveModule(importer: string, name: string): string | undefined {
  if (name.startsWith(".")) return normalize(join(dirname(importer), name));
  const [scope = "", base = "", ...inside] = name.split("/");
  const folder = packages[`${scope}/${base}`];
  if (folder === undefined) return undefined;
  return exported(folder, inside.length === 0 ? "." : `./${inside.join("/")}`);
}

/** The module that a package exports under a name. */
function exported(folder: string, subpath: string): string {
  const manifest: { exports: Record<string, unknown> } = JSON.parse(
    readFileSync(join(root, folder, "package.json"), "utf8"),
  );
  for (const [pattern, target] of Object.entries(manifest.exports)) {
    const path = typeof target === "object" && target !== null && "default" in target ? target.default : target;
    if (typeof path !== "string") continue;
    const [before = "", after] = pattern.split("*");
    if (pattern === subpath) return normalize(join(folder, path));
    if (after !== undefined && subpath.startsWith(before) && subpath.endsWith(after)) {
      const part = subpath.slice(before.length, subpath.length - after.length);
      return normalize(join(folder, path.replace("*", part)));
    }
  }
  throw new Error(`${folder} does not export ${subpath}`);
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
