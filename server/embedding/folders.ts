import type { PackStore } from "../domain/ports/packs.ts";
import { readManifest } from "./manifest.ts";
import { resolvePackDir } from "./packs.ts";
import { packId } from "./registry.ts";

/** Finds the folders of the packs that the service works with. */
export interface PackFolders {
  /** Undefined: it is not on this machine, or another version has taken its place. */
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
      const dir = resolvePackDir(known.model, modelsDir);
      const manifest = await readManifest(dir).catch(() => undefined);
      if (manifest === undefined || packId(manifest) !== pack) return undefined;
      found.set(pack, dir);
      return dir;
    },
  };
}
