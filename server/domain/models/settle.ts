import type { Clock } from "../clock.ts";
import type { PackStore, InstalledPack } from "../ports/packs.ts";
import type { VectorStore } from "../ports/vectors.ts";
import { conflict } from "../errors.ts";

interface Start {
  readonly packs: PackStore;
  readonly vectors: Pick<VectorStore, "packs">;
  /** What the settings ask for; undefined: the pack that is in use, at first the built-in one. */
  readonly model: string | undefined;
  /** Throws if the pack is not there or cannot be used. */
  readonly open: (model: string) => Promise<InstalledPack>;
  readonly clock: Clock;
}

/**
 * Decides at start which pack is in use: a pack that the settings name is put to use as if a call had asked for it, and
 * so is the version of the built-in pack that comes with this version of drs. Throws if it cannot be used.
 */
export async function settlePackInUse({ packs, vectors, model, open, clock }: Start): Promise<void> {
  const current = (await packs.list()).find(({ isInUse }) => isInUse);
  const wanted = await open(model ?? current?.model ?? "builtin");
  // Also when only its manifest says something new, such as how scores are weighed.
  if (wanted.id !== current?.id || wanted.model !== current.model || wanted.manifest !== current.manifest) {
    if ((await packs.use(wanted, clock())) === "leaving") throw leaving(wanted.id);
  }
  if (await packs.hasUnnamed()) {
    // Before packs were kept there was one for all. Its tables, if they have its name, go with it; those of the pack that
    // is in use now are not trusted to be as this version writes them, so that its datasets change as well.
    const before = (await vectors.packs()).find((id) => id !== wanted.id) ?? "";
    await packs.nameUnnamed(before);
  }
}

export const leaving = (pack: string): Error =>
  conflict(`what was indexed with ${pack} before is just being removed; try again in a moment`);
