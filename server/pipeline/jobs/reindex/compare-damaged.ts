import { compareIndex } from "../../../domain/index/compare.ts";
import type { Garbage } from "../../../domain/ports/garbage.ts";
import type { DatasetId } from "../../../domain/ids.ts";
import type { SpaceRef } from "../../../domain/ports/vectors.ts";
import type { JobContext } from "../context.ts";

/** Datasets whose differences are entered together. */
const atOnce = 500;

/** How often it is checked whether the index is still there. */
const lookMs = 10_000;

/**
 * Inspects the index at the start. Each step finds out which pages are missing after the index was damaged or has been lost
 * altogether, and enters them to be made again; it returns false if there was nothing to do. Everything may be repeated,
 * so that a crash in the middle loses nothing.
 */
export function startComparing(context: JobContext): () => Promise<boolean> {
  const { metadata, vectors } = context;
  /** Packs that were found without a row, and have been entered. */
  const known = new Set<string>();
  let lookedAt = -Infinity;

  /** Spaces of which there is nothing at all, although datasets are served from their pack. */
  async function lostSpaces(): Promise<readonly SpaceRef[]> {
    if (performance.now() - lookedAt < lookMs) return [];
    if (lookedAt < 0) await vectors.verify();
    lookedAt = performance.now();
    if ((await metadata.indices.countRebuilds()) === 0) known.clear();
    const lost: SpaceRef[] = [];
    for (const { id } of await metadata.packs.list()) {
      if (!(await metadata.indices.hasEmbedded(id))) continue;
      if (!known.has(id) && !(await vectors.packs()).includes(id))
        lost.push(...((await context.packs.find(id))?.spaces ?? []));
    }
    for (const { pack } of lost) known.add(pack);
    return lost;
  }

  return async () => compareDamaged(context, await lostSpaces());
}

async function compareDamaged(context: JobContext, lost: readonly SpaceRef[]): Promise<boolean> {
  const { metadata, vectors, packs, maintenance, log } = context;
  const damage = await vectors.damage();
  const damaged = new Map(
    damage.flatMap(({ outcome, space }) =>
      outcome === "kept" ? [] : [[`${space.pack}/${space.name}`, space] as const],
    ),
  );
  for (const space of lost) damaged.set(`${space.pack}/${space.name}`, space);
  for (const { pack: id, name } of damaged.values()) {
    const pack = await packs.find(id);
    const space = pack?.spaces.find((candidate) => candidate.name === name);
    if (space === undefined) continue;
    await metadata.indices.startOver(id);
    const datasets = await enterDifferences(context, space);
    // Documents may have nothing to index.
    if (datasets > 0) log.warn({ pack: id, space: name, datasets }, "part of the index is lost; it is made again");
  }
  await vectors.settle(damage);
  if (damage.length > 0) maintenance.request();
  return damaged.size > 0;
}

/** How many datasets miss pages. */
async function enterDifferences(context: JobContext, space: SpaceRef): Promise<number> {
  const { metadata, clock } = context;
  let missing: DatasetId[] = [];
  let strays: Garbage[] = [];
  let datasets = 0;
  const enter = async (): Promise<void> => {
    await metadata.indices.rebuild(missing, "missing");
    await metadata.garbage.add(strays, clock());
    datasets += missing.length;
    [missing, strays] = [[], []];
  };
  for await (const difference of compareIndex(context, space)) {
    const { datasetId } = difference;
    if (difference.kind === "missing") missing.push(datasetId);
    else strays.push({ kind: "vectors", key: datasetId, generation: difference.generation });
    if (missing.length + strays.length >= atOnce) await enter();
  }
  await enter();
  return datasets;
}
