import type { PackStore } from "../domain/ports/packs.ts";
import { readManifest } from "./manifest.ts";
import { installedDir, resolvePackDir } from "./packs.ts";
import { packId } from "./registry.ts";

/** Finds the folders of the packs that the service works with. */
export interface PackFolders {
  /** Undefined if the pack is not on this machine, or another version has replaced it. */
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
