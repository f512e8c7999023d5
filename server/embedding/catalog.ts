import { existsSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { z } from "zod";
import { type Manifest, parseManifest } from "./manifest.ts";
import { PackError } from "./pack-error.ts";

/** Locations beside the built-in pack, see packs.ts. */
const places = ["../models/ready/", "../../models/ready/"];

const ending = ".json";

const schema = z.strictObject({
  source: z.strictObject({
    /** `owner/name` of a repository on the hub. */
    hub: z.string().regex(/^[\w.-]+\/[\w.-]+$/),
    revision: z.string().regex(/^[\w.-]+$/),
  }),
  /** Approximate total size of the files: the number of parameters times the bytes per parameter. The hub has the exact size. */
  roughBytes: z.int().positive(),
  files: z.array(
    z.strictObject({
      path: z.string(),
      /** Path in the repository. */
      from: z.string().regex(/^[\w-][\w.-]*(\/[\w-][\w.-]*)*$/),
      bytes: z.int().positive().optional(),
      sha256: z
        .string()
        .regex(/^[0-9a-f]{64}$/)
        .optional(),
    }),
  ),
  /** The contents of `pack.json` without its list of files. */
  pack: z.looseObject({}),
});

/** A pack for a public model, whose files are in its owner's repository on the hub. */
type CatalogPack = z.infer<typeof schema> & { readonly name: string; readonly manifest: Manifest };

const folder = places.map((place) => fileURLToPath(new URL(place, import.meta.url))).find((path) => existsSync(path));

/** Returns the names by which packs can be pulled. */
export async function catalogNames(): Promise<string[]> {
  const files = folder === undefined ? [] : await readdir(folder);
  return files
    .filter((file) => file.endsWith(ending))
    .map((file) => file.slice(0, -ending.length))
    .sort();
}

/**
 * Returns the pack that can be pulled by this name; undefined if there is none. Throws `PackError` if it cannot be used, which
 * would be a bug.
 */
export async function catalogPack(name: string): Promise<CatalogPack | undefined> {
  if (folder === undefined || !(await catalogNames()).includes(name)) return undefined;
  const parsed = schema.safeParse(JSON.parse(await readFile(join(folder, name + ending), "utf8")));
  if (!parsed.success) throw new PackError(`the ready pack ${name} cannot be used: ${z.prettifyError(parsed.error)}`);
  return { ...parsed.data, name, manifest: completeManifest(parsed.data, []) };
}

/** Returns all packs that can be pulled. Throws `PackError` if one cannot be used. */
export async function readyPacks(): Promise<CatalogPack[]> {
  const packs = await Promise.all((await catalogNames()).map(catalogPack));
  return packs.flatMap((pack) => pack ?? []);
}

const unknownSha256 = "0".repeat(64);

/** Completes the manifest with the known sizes and checksums of its files. Throws `PackError` if it cannot be used. */
export function completeManifest(
  { pack, files }: Pick<z.infer<typeof schema>, "pack" | "files">,
  found: readonly { readonly path: string; readonly bytes: number; readonly sha256: string }[],
): Manifest {
  const listed = files.map(({ path, bytes = 1, sha256 = unknownSha256 }) => ({ path, bytes, sha256 }));
  const complete = listed.map((file) => found.find(({ path }) => path === file.path) ?? file);
  return parseManifest(JSON.stringify({ ...pack, files: complete }), "models/ready");
}
