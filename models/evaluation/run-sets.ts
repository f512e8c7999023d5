import { loadPack, readManifest } from "../../server/embedding/load.ts";
import { resolvePackDir } from "../../server/embedding/packs.ts";
import { placesOf, rateSet, type SearchedSet, searchSet } from "./measure-sets.ts";
import { type Figures, type Quality, qualityOf, tablesOf } from "./quality.ts";
import { readSet, type SetName } from "./sets.ts";
import { rankCandidates } from "../../server/ranking/calibrate/ranking.ts";
import { fitOdds, rankedEvidence, mean, type Group } from "./fit-odds.ts";

interface SetsRun {
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

/** Weights to try for the vectors, relative to the words. */
const weights = [2, 2.5, 3, 3.5, 4, 5, 6];
/** Weights to try for the similarity to the best pages, in packs that use it. */
const feedbackWeights = [2, 3, 4, 5];

interface Choice {
  readonly weight: number;
  readonly feedback?: number;
}

interface Calibration {
  /** The group with the best weights, and the odds and usual values that fit them, as in `pack.json`. */
  readonly group: Group;
  /** The group with the pack's own weights, and the odds and usual values that fit them. */
  readonly own: Group;
  /** Mean nDCG@10 over the sets of every choice. */
  readonly choices: readonly (Choice & { readonly mean: number })[];
  /** nDCG@10 of each set with the choice that is best on the other sets: an estimate for unseen data. */
  readonly elsewhere: Readonly<Record<string, number>>;
}

/**
 * Chooses the best weights on the given sets, relative to the words, for a dense space of a group and for its feedback. Also fits
 * the odds of the group's score.
 */
function calibrate(group: Group, dense: string, searched: readonly SearchedSet[]): Calibration {
  const { feedback } = group;
  const choices = weights.flatMap((weight): Choice[] =>
    feedback === undefined ? [{ weight }] : feedbackWeights.map((own) => ({ weight, feedback: own })),
  );
  const weighed = (choice: Choice): Group => ({
    ...group,
    spaces: { ...group.spaces, [dense]: { curve: "linear", weight: choice.weight } },
    ...(feedback && { feedback: { ...feedback, weight: choice.feedback ?? feedback.weight } }),
  });
  const rated = choices.map((choice) => ({ choice, bySet: searched.map((set) => ndcg(weighed(choice), set)) }));
  const bestOn = (sets: readonly number[]): (typeof rated)[number] => {
    const total = ({ bySet }: { bySet: readonly number[] }): number => mean(sets.map((set) => bySet[set] ?? 0));
    return rated.reduce((best, one) => (total(one) > total(best) ? one : best));
  };
  const all = searched.map((_, index) => index);
  const chosen = weighed(bestOn(all).choice);
  return {
    group: withOdds(chosen, searched),
    own: withOdds(group, searched),
    choices: rated.map(({ choice, bySet }) => ({ ...choice, mean: mean(bySet) })),
    elsewhere: Object.fromEntries(
      searched.map(({ set }, index) => [
        set.name,
        (all.length > 1 ? bestOn(all.filter((other) => other !== index)) : bestOn(all)).bySet[index] ?? 0,
      ]),
    ),
  };
}

function withOdds(group: Group, searched: readonly SearchedSet[]): Group {
  return {
    ...group,
    ...fitOdds(
      searched.map(({ set, found }) => ({
        weight: 1,
        questions: found.map((one, question) => {
          const { values, pages } = rankedEvidence(group, one);
          const answers = set.questions[question]?.answers;
          return { values, relevant: pages.map(({ page }) => answers?.has(page - 1) === true) };
        }),
      })),
    ),
  };
}

function ndcg(group: Group, { set, found }: SearchedSet): number {
  const rankings = found.map(({ candidates, reading }) => placesOf(rankCandidates([group], candidates, reading)));
  return qualityOf(
    rankings,
    set.questions.map(({ answers }) => answers),
  )["nDCG@10"];
}
