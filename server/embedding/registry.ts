import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import type { InstalledPack, PackAbout, PackRegistry, PackStore } from "../domain/ports/packs.ts";
import { checkSizes } from "./files.ts";
import { type Manifest, manifestName, parseManifest, readManifest } from "./manifest.ts";
import { PackError } from "./pack-error.ts";
import { packRanking } from "./pack-ranking.ts";
import { installedDir, installedPacks, resolvePackDir } from "./packs.ts";

/** Opens the registry of packs on this machine; `modelsDir` holds the installed ones as `id@version`. */
export function openPackRegistry(modelsDir: string): PackRegistry {
  return {
    async list() {
      const models = ["builtin", ...installedPacks(modelsDir)];
      const found = await Promise.all(models.map((model) => installedPack(model, modelsDir).catch(() => undefined)));
      return found.flatMap((pack) => pack ?? []);
    },

    async find(name) {
      if (installedDir(name, modelsDir) !== undefined) return installedPack(name, modelsDir);
      if (name !== "builtin" && !name.startsWith("builtin@")) return undefined;
      const builtin = await installedPack("builtin", modelsDir);
      return name === "builtin" || name === builtin.id ? builtin : undefined;
    },

    read({ id, manifest: text }) {
      const manifest = parseManifest(text, id);
      return { about: aboutOf(manifest), pack: packRanking(manifest) };
    },
  };
}

/**
 * Reads a pack as `--model` names it, which may be a path. Throws `PackError` if it does not exist, or its files differ in size
 * from its manifest.
 */
export async function installedPack(model: string, modelsDir: string): Promise<InstalledPack> {
  const dir = resolvePackDir(model, modelsDir);
  if (!existsSync(dir)) {
    throw new PackError(
      `there is no model pack ${model}, neither in ${modelsDir} nor as a folder; drs models list shows the installed packs`,
    );
  }
  const manifest = await readManifest(dir);
  await checkSizes(dir, manifest);
  const id = packId(manifest);
  const place = model === "builtin" ? "builtin" : installedDir(model, modelsDir) === undefined ? "folder" : "installed";
  return {
    id,
    model: place === "folder" ? resolve(model) : place === "installed" ? id : model,
    place,
    manifest: await readFile(join(dir, manifestName), "utf8"),
    about: aboutOf(manifest),
  };
}

export const packId = ({ id, version }: Pick<Manifest, "id" | "version">): string => `${id}@${version}`;

export function aboutOf({ licence, languages, description, files, spaces }: Manifest): PackAbout {
  return {
    licence,
    languages,
    description,
    bytes: files.reduce((sum, { bytes }) => sum + bytes, 0),
    spaces: spaces.map((space) => ({
      name: space.name,
      kind: space.kind,
      dimensions: "dimensions" in space ? space.dimensions : undefined,
    })),
  };
}

/** Finds the folders of the packs that the service uses. */
export interface PackFolders {
  /** Returns undefined if the pack is not on this machine, or another version has replaced it. */
  find(pack: string): Promise<string | undefined>;
}

export function createPackFolders(store: Pick<PackStore, "list">, modelsDir: string): PackFolders {
  const found = new Map<string, string>();
  return {
    async find(pack) {
      const before = found.get(pack);
      if (before !== undefined) return before;
      const known = (await store.list()).find(({ id }) => id === pack);
      if (known === undefined) return undefined;
      // The built-in pack of another version of drs may be among the installed ones.
      for (const dir of [resolvePackDir(known.model, modelsDir), installedDir(pack, modelsDir)]) {
        const manifest = dir === undefined ? undefined : await readManifest(dir).catch(() => undefined);
        if (dir === undefined || manifest === undefined || packId(manifest) !== pack) continue;
        found.set(pack, dir);
        return dir;
      }
      return undefined;
    },
  };
}
