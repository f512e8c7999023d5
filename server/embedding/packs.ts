import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { fileURLToPath } from "node:url";

/** Where the pack lies that comes with drs: inside the published package, or beside `server` in the repository. */
const builtinPlaces = ["../models/builtin/", "../../models/builtin/"];

/** The folder of a pack as `--model` names it: `builtin`, or a path. */
export function resolvePackDir(model: string): string {
  if (model !== "builtin") return resolve(model);
  const places = builtinPlaces.map((place) => fileURLToPath(new URL(place, import.meta.url)));
  const found = places.find((place) => existsSync(place));
  if (found === undefined)
    throw new Error(`the built-in model pack is missing; it was looked for in ${places.join(" and ")}`);
  return found;
}
