import type { PackInUse } from "../domain/ports/pack.ts";
import type { SpaceRef } from "../domain/ports/vectors.ts";
import { checkSizes } from "./files.ts";
import { candidates, fuse } from "./fusion.ts";
import { type Manifest, readManifest } from "./manifest.ts";
import type { LoadedPack, PictureWish } from "./pack.ts";
import { openSpace } from "./spaces.ts";

export { verifyPack } from "./files.ts";
export { type Manifest, PackError, readManifest } from "./manifest.ts";

/** What searching needs of a pack; loads no graph. */
export function packInUse(manifest: Manifest): PackInUse {
  const id = `${manifest.id}@${manifest.version}`;
  return {
    id,
    spaces: manifest.spaces.map((space): SpaceRef => {
      if (space.kind === "lexical") return { kind: "lexical", pack: id, name: space.name };
      return { kind: "dense", pack: id, name: space.name, dimensions: space.dimensions };
    }),
    itemSpace: manifest.itemSpace,
    candidates,
    fuse: (hits) => fuse(manifest.fusion, hits),
  };
}

/**
 * Loads the pack's graphs into this thread. Of the files only the sizes are checked; `verifyPack` reads them whole.
 * Throws `PackError` if the pack cannot be used.
 */
export async function loadPack(packDir: string): Promise<LoadedPack> {
  const manifest = await readManifest(packDir);
  await checkSizes(packDir, manifest);
  const spaces = await Promise.all(manifest.spaces.map((space) => openSpace(packDir, space)));
  return {
    ...packInUse(manifest),
    picture: pictureWish(manifest),
    async embedPage(page) {
      return (await Promise.all(spaces.map((space) => space.page(page)))).flat();
    },
    async embedQuery(query) {
      return (await Promise.all(spaces.map((space) => space.query(query)))).flat();
    },
    async close() {
      await Promise.all(spaces.map((space) => space.close()));
    },
  };
}

/** Large enough for the space that wants most; the others scale it down. */
function pictureWish({ spaces }: Manifest): PictureWish | undefined {
  const sides = spaces.flatMap((space) => (space.kind === "picture" ? [space.longSide] : []));
  return sides.length === 0 ? undefined : { longSide: Math.max(...sides), channels: 1 };
}
