import { readFileSync } from "node:fs";

/** The parts of a package.json that the build uses. */
export interface Manifest extends Readonly<Record<string, unknown>> {
  readonly version: string;
  readonly dependencies: Readonly<Record<string, string>>;
  readonly optionalDependencies: Readonly<Record<string, string>>;
}

export function readManifest(file: string): Manifest {
  const read: unknown = JSON.parse(readFileSync(file, "utf8"));
  if (typeof read !== "object" || read === null) throw new Error(`${file} is no object`);
  const fields = new Map(Object.entries(read));
  return {
    ...Object.fromEntries(fields),
    version: String(fields.get("version")),
    dependencies: versions(fields.get("dependencies")),
    optionalDependencies: versions(fields.get("optionalDependencies")),
  };
}

function versions(field: unknown): Record<string, string> {
  return Object.fromEntries(Object.entries(field ?? {}).map(([name, version]) => [name, String(version)]));
}

/** Returns the published manifest of a package: `.ts` becomes `.js`, and fields for development are left out. */
export function published(manifest: Manifest): Manifest {
  const { devDependencies: _, exports, imports, ...rest } = manifest;
  return {
    ...rest,
    ...(exports === undefined ? {} : { exports: compiled(exports) }),
    ...(imports === undefined ? {} : { imports: compiled(imports) }),
    version: manifest.version,
    dependencies: manifest.dependencies,
    optionalDependencies: manifest.optionalDependencies,
  };
}

function compiled(target: unknown): unknown {
  if (typeof target === "string") return target.replace(/\.ts$/, ".js");
  if (typeof target !== "object" || target === null) return target;
  return Object.fromEntries(Object.entries(target).map(([name, inner]) => [name, compiled(inner)]));
}

type Versions = Manifest["dependencies"];

export function partition(
  dependencies: Versions,
  isChosen: (name: string) => boolean,
): { readonly chosen: Versions; readonly others: Versions } {
  const entries = Object.entries(dependencies);
  return {
    chosen: Object.fromEntries(entries.filter(([name]) => isChosen(name))),
    others: Object.fromEntries(entries.filter(([name]) => !isChosen(name))),
  };
}
