import type { Clock } from "../clock.ts";
import { conflict } from "../errors.ts";
import type { PackRanking } from "../ports/pack-ranking.ts";
import type { InstalledPack, KnownPack, PackRegistry, PackStore } from "../ports/packs.ts";

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

interface Start {
  readonly packs: PackStore;
  /** The configured pack; undefined for the pack that is in use, at first the built-in one. */
  readonly model: string | undefined;
  /** Throws if the pack is missing or cannot be used. */
  readonly open: (model: string) => Promise<InstalledPack>;
  /**
   * Whether processes of other versions of drs may use the same stores. The built-in pack then changes only on
   * request.
   */
  readonly isShared: boolean;
  readonly clock: Clock;
}

/**
 * Decides at start which pack is in use. A configured pack is put to use as if a call had requested it. So is the
 * built-in pack's version that comes with this release, if no other version of drs is running. Throws if the pack
 * cannot be used.
 */
export async function settlePackInUse(start: Start): Promise<void> {
  const { packs, clock } = start;
  const current = (await packs.list()).find(({ isInUse }) => isInUse);
  const wanted = await wantedPack(start, current);
  if (wanted === undefined) return;
  // True even if only the manifest has changed, for example the weights of scores.
  if (wanted.id !== current?.id || wanted.model !== current.model || wanted.manifest !== current.manifest) {
    if ((await packs.use(wanted, clock())) === "leaving") throw leaving(wanted.id);
  }
  if (await packs.hasUnnamed()) {
    // Before packs were stored, there was a single one without a name: its datasets move to the pack in use.
    await packs.nameUnnamed("");
  }
}

/** Undefined if the pack in use stays. */
async function wantedPack(
  { model, open, isShared }: Start,
  current: KnownPack | undefined,
): Promise<InstalledPack | undefined> {
  if (!isShared || current === undefined) return open(model ?? current?.model ?? "builtin");
  if (model === undefined) return undefined;
  const wanted = await open(model);
  // During an upgrade, a process of the previous version that restarts has the same settings.
  const isOlder = wanted.model === "builtin" && current.model === "builtin" && isBefore(wanted.id, current.id);
  return isOlder ? undefined : wanted;
}

/** Compares two versions of one pack, `id@1.2.3`. */
function isBefore(one: string, other: string): boolean {
  const [numbers, others] = [one, other].map((id) => id.split("@").at(-1)?.split(".").map(Number) ?? []);
  for (const [index, number] of (numbers ?? []).entries()) {
    const against = others?.[index] ?? 0;
    if (number !== against) return number < against;
  }
  return false;
}

export const leaving = (pack: string): Error =>
  conflict(`the previous index of ${pack} is still being removed; try again in a moment`);
