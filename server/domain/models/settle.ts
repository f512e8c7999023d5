import type { Clock } from "../clock.ts";
import type { InstalledPack, KnownPack, PackStore } from "../ports/packs.ts";
import { conflict } from "../errors.ts";

interface Start {
  readonly packs: PackStore;
  /** What the settings ask for; undefined: the pack that is in use, at first the built-in one. */
  readonly model: string | undefined;
  /** Throws if the pack is not there or cannot be used. */
  readonly open: (model: string) => Promise<InstalledPack>;
  /** Processes of other versions of drs may be at work on the stores: the built-in pack changes only when it is told to. */
  readonly isShared: boolean;
  readonly clock: Clock;
}

/**
 * Decides at start which pack is in use: a pack that the settings name is put to use as if a call had asked for it, and
 * so is, where this is the only version at work, the version of the built-in pack that comes with it. Throws if it cannot be
 * used.
 */
export async function settlePackInUse(start: Start): Promise<void> {
  const { packs, clock } = start;
  const current = (await packs.list()).find(({ isInUse }) => isInUse);
  const wanted = await wantedPack(start, current);
  if (wanted === undefined) return;
  // Also when only its manifest says something new, such as how scores are weighed.
  if (wanted.id !== current?.id || wanted.model !== current.model || wanted.manifest !== current.manifest) {
    if ((await packs.use(wanted, clock())) === "leaving") throw leaving(wanted.id);
  }
  if (await packs.hasUnnamed()) {
    // Before packs were kept there was one for all, which had no name: its datasets change to the one in use.
    await packs.nameUnnamed("");
  }
}

/** Undefined: the one in use stays. */
async function wantedPack(
  { model, open, isShared }: Start,
  current: KnownPack | undefined,
): Promise<InstalledPack | undefined> {
  if (!isShared || current === undefined) return open(model ?? current?.model ?? "builtin");
  if (model === undefined) return undefined;
  const wanted = await open(model);
  // A process of the version before that starts once more during an upgrade has the same settings.
  const isOlder = wanted.model === "builtin" && current.model === "builtin" && isBefore(wanted.id, current.id);
  return isOlder ? undefined : wanted;
}

/** Of two versions of one pack, `id@1.2.3`. */
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
