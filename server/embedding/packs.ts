import { existsSync, readdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

/** Locations of the built-in pack: inside the published package, or beside `server` in the repository. */
const builtinPlaces = ["../models/builtin/", "../../models/builtin/"];

/** `id` or `id@version`, as installed packs are named. */
const packName = /^([a-z][a-z0-9-]{0,31})(?:@(\d+)\.(\d+)\.(\d+))?$/;

/**
 * Returns the folder of a pack as `--model` names it: `builtin`, an installed pack's `id@version` or `id` alone (its highest
 * version), or a path. An installed pack takes precedence over a folder of the same name.
 */
export function resolvePackDir(model: string, modelsDir?: string): string {
  if (model === "builtin") return builtinDir();
  return installedDir(model, modelsDir) ?? resolve(model);
}

/** Returns the folder of an installed pack; undefined if no pack has that name. */
export function installedDir(name: string, modelsDir: string | undefined): string | undefined {
  const [, id, version] = packName.exec(name) ?? [];
  if (id === undefined || modelsDir === undefined) return undefined;
  const folders = installedPacks(modelsDir).filter(
    (folder) => folder === name || (version === undefined && folder.startsWith(`${id}@`)),
  );
  const newest = folders.sort(byVersion).at(-1);
  return newest === undefined ? undefined : join(modelsDir, newest);
}

/** Returns the names of the installed packs, `id@version`, sorted by id and version. */
export function installedPacks(modelsDir: string): string[] {
  if (!existsSync(modelsDir)) return [];
  const names = readdirSync(modelsDir).filter((name) => packName.exec(name)?.[2] !== undefined);
  return names.sort((a, b) => idOf(a).localeCompare(idOf(b)) || byVersion(a, b));
}

function builtinDir(): string {
  const places = builtinPlaces.map((place) => fileURLToPath(new URL(place, import.meta.url)));
  const found = places.find((place) => existsSync(place));
  if (found === undefined)
    throw new Error(`the built-in model pack is missing; it was looked for in ${places.join(" and ")}`);
  return found;
}

const idOf = (name: string): string => packName.exec(name)?.[1] ?? "";

function byVersion(a: string, b: string): number {
  const [, , ...one] = packName.exec(a) ?? [];
  const [, , ...other] = packName.exec(b) ?? [];
  const differing = one.findIndex((part, index) => part !== other[index]);
  return differing < 0 ? 0 : Number(one[differing]) - Number(other[differing]);
}
