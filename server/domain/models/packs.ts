import type { PackRanking } from "../ports/pack-ranking.ts";
import type { KnownPack, PackRegistry, PackStore } from "../ports/packs.ts";

/** The packs of the service, as far as searching needs them. */
export interface Packs {
  /** Undefined if the service does not know the pack, or can no longer read its manifest. */
  find(id: string): Promise<PackRanking | undefined>;
  /** The pack that new datasets are indexed with. */
  inUse(): Promise<PackRanking>;
}

export function createPacks(store: Pick<PackStore, "list">, registry: Pick<PackRegistry, "read">): Packs {
  /** Parsed manifests, by their text. */
  const read = new Map<string, PackRanking | undefined>();

  function open(pack: KnownPack): PackRanking | undefined {
    if (!read.has(pack.manifest)) read.set(pack.manifest, readOrNothing(registry, pack));
    return read.get(pack.manifest);
  }

  async function list(): Promise<readonly KnownPack[]> {
    const known = await store.list();
    for (const text of read.keys()) if (!known.some(({ manifest }) => manifest === text)) read.delete(text);
    return known;
  }

  return {
    async find(id) {
      const known = (await list()).find((pack) => pack.id === id);
      return known && open(known);
    },
    async inUse() {
      const known = (await list()).find(({ isInUse }) => isInUse);
      const pack = known && open(known);
      if (pack === undefined) throw new Error("there is no model pack in use that can be read");
      return pack;
    },
  };
}

function readOrNothing(registry: Pick<PackRegistry, "read">, pack: KnownPack): PackRanking | undefined {
  try {
    return registry.read(pack).pack;
  } catch {
    // An older manifest, or none: the datasets of that pack are found again once they have moved to another.
    return undefined;
  }
}
