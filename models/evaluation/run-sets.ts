import { loadPack, readManifest } from "../../server/embedding/load.ts";
import { resolvePackDir } from "../../server/embedding/packs.ts";
import { type Calibration, calibrate } from "./calibrate.ts";
import { rateSet, type SearchedSet, searchSet } from "./measure-sets.ts";
import { type Figures, type Quality, tablesOf } from "./quality.ts";
import { readSet, type SetName } from "./sets.ts";

export interface SetsRun {
  readonly pack: string;
  readonly figures: Figures;
  readonly calibration: Calibration | undefined;
}

/** Measures a pack on the sets and prints the tables. */
export async function evaluateSets(options: {
  dataDir: string;
  sets: readonly SetName[];
  model: string;
  isCalibrated: boolean;
}): Promise<SetsRun> {
  const packDir = resolvePackDir(options.model);
  const pack = await loadPack(packDir);
  const searched: SearchedSet[] = [];
  const figures: Record<string, Record<string, Quality>> = {};
  try {
    for (const name of options.sets) {
      const result = await searchSet(pack, await readSet(options.dataDir, name));
      searched.push(result);
      for (const [ranking, quality] of Object.entries(rateSet(pack, result))) {
        (figures[ranking] ??= {})[name] = quality;
      }
      process.stderr.write(`${name}: ${result.set.questions.length} questions, ${result.set.documents.length} pages\n`);
    }
  } finally {
    await pack.close();
  }
  process.stdout.write(`${pack.id}\n\n${tablesOf(figures)}`);
  if (!options.isCalibrated) return { pack: pack.id, figures, calibration: undefined };

  const { fusion } = await readManifest(packDir);
  const lexical = pack.spaces.find(({ kind }) => kind === "lexical")?.name;
  const asked = Object.keys(figures).filter((name) => name !== lexical && name !== "fused" && name !== "first stage");
  const group = fusion.find(({ spaces }) => lexical !== undefined && lexical in spaces);
  const dense = asked.find((name) => group !== undefined && name in group.spaces);
  if (lexical === undefined || dense === undefined || group === undefined) {
    throw new Error("only a pack that fuses words with vectors of words can be calibrated");
  }
  const calibration = calibrate(group, dense, searched);
  process.stdout.write(`\n${JSON.stringify(calibration, undefined, 2)}\n`);
  return { pack: pack.id, figures, calibration };
}
