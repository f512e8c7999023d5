import { readFileSync } from "node:fs";
import { join } from "node:path";

/** A row of the table "Parts" in docs/explanation/architecture.md. */
export interface Part {
  /** Folders end with a slash. */
  readonly paths: readonly string[];
  /** The parts it may import, by their paths. */
  readonly mayImport: readonly string[];
}

const root = join(import.meta.dirname, "../..");

/** In the table for the composition roots: they put the other parts together. */
export const everything = "everything";

export function readParts(): readonly Part[] {
  const text = readFileSync(join(root, "docs/explanation/architecture.md"), "utf8");
  const rows = text.split("\n").filter((line) => line.startsWith("| `"));
  return rows.map((row) => {
    const [, paths = "", , imports = ""] = row.split("|");
    return {
      paths: named(paths),
      mayImport: imports.includes(everything) ? [everything] : named(imports),
    };
  });
}

const named = (cell: string): string[] => [...cell.matchAll(/`([^`]+)`/g)].map(([, name = ""]) => name);

/** The part that a module belongs to: the longest path that names it or its folder. */
export function partOf(parts: readonly Part[], module: string): Part | undefined {
  const matches = parts.flatMap((part) =>
    part.paths
      .filter((path) => path === module || (path.endsWith("/") && module.startsWith(path)))
      .map((path) => ({ part, path })),
  );
  return matches.toSorted((one, other) => other.path.length - one.path.length)[0]?.part;
}

/** Reads which imports the lint rules forbid to a folder, as they write them: `**` + `/transport/**`. */
export function readLintRules(): ReadonlyMap<string, readonly string[]> {
  const config: {
    overrides: { files: string[]; rules: Record<string, unknown> }[];
  } = JSON.parse(readFileSync(join(root, ".oxlintrc.json"), "utf8"));
  const rules = new Map<string, string[]>();
  for (const { files, rules: set } of config.overrides) {
    const text = JSON.stringify(set["no-restricted-imports"] ?? "");
    for (const file of files) {
      rules.set(
        file,
        [...text.matchAll(/"(\*\*\/[^"]+|@[a-z]+\/[^"]+)"/g)].map(([, pattern = ""]) => pattern),
      );
    }
  }
  return rules;
}
