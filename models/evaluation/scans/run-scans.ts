import { loadPack } from "../../../server/embedding/load.ts";
import type { LoadedPack } from "../../../server/embedding/pack.ts";
import { resolvePackDir } from "../../../server/embedding/packs.ts";
import type { PageOcr } from "../../../server/embedding/ocr/page-ocr.ts";
import { rateSet, searchSet } from "../measure-sets.ts";
import type { Quality } from "../quality.ts";
import { type EvaluationSet, readSet, type SetName } from "../sets.ts";
import { createRandom } from "./random.ts";
import { mean, median, type PageRead, readScans, wordRates } from "./read-pages.ts";
import { scanned } from "./scan.ts";
import { greyOf, paper, typeset } from "./typeset.ts";

interface ScansOptions {
  readonly dataDir: string;
  readonly sets: readonly SetName[];
  readonly model: string;
}

/** The figures of one set: quality on the typeset words and on the words read, and the share of words read. */
interface ScansOfSet {
  readonly set: Quality;
  readonly read: Quality;
  readonly pages: number;
  readonly questions: number;
  readonly recall: Spread;
  readonly precision: Spread;
  readonly findMs: Spread;
  readonly readMs: Spread;
}

interface Spread {
  readonly mean: number;
  readonly median: number;
}

/** The maximum number of documents of each set; the others are left out. */
const maxPages = 250;
const resolution = 150;

/** Typesets documents of the sets, makes scans of the pages, reads them, and compares how well both are found. */
export async function runScans(options: ScansOptions): Promise<Record<string, ScansOfSet>> {
  const pack = await loadPack(resolvePackDir(options.model));
  const figures: Record<string, ScansOfSet> = {};
  try {
    if (pack.ocr === undefined) throw new Error(`the pack ${pack.id} has no reader of scans`);
    for (const name of options.sets) {
      const set = partOf(await readSet(options.dataDir, name));
      const { truth, pages } = await scanAndRead(pack.ocr, set);
      figures[name] = await compare(pack, set, truth, pages);
      process.stdout.write(`${name}: ${summaryOf(figures[name])}\n`);
    }
  } finally {
    await pack.close();
  }
  return figures;
}

/** Returns the first documents of a set that answer a question, and the questions that they answer. */
function partOf(set: EvaluationSet): EvaluationSet {
  const chosen = [...new Set(set.questions.flatMap(({ answers }) => [...answers]))].slice(0, maxPages);
  const places = new Map(chosen.map((place, index) => [place, index]));
  return {
    name: set.name,
    documents: chosen.map((place) => set.documents[place] ?? ""),
    questions: set.questions
      .map(({ text, answers }) => ({
        text,
        answers: new Set([...answers].flatMap((place) => places.get(place) ?? [])),
      }))
      .filter(({ answers }) => answers.size > 0),
  };
}

async function scanAndRead(ocr: PageOcr, set: EvaluationSet): Promise<{ truth: string[]; pages: PageRead[] }> {
  const truth: string[] = [];
  const pages: PageRead[] = [];
  for (const [index, document] of set.documents.entries()) {
    const random = createRandom(index + 1);
    const { canvas, words } = await typeset(document, random);
    const jpeg = await scanned({ ...paper, data: greyOf(canvas) }, random);
    truth.push(words);
    pages.push(...(await readScans(ocr, [{ jpeg, ...paper, resolution }])));
  }
  return { truth, pages };
}

async function compare(
  pack: LoadedPack,
  set: EvaluationSet,
  truth: readonly string[],
  pages: readonly PageRead[],
): Promise<ScansOfSet> {
  const rates = pages.map(({ words }, index) => wordRates(truth[index] ?? "", words));
  return {
    set: await fused(pack, { ...set, documents: truth }),
    read: await fused(pack, { ...set, documents: pages.map(({ words }) => words) }),
    pages: pages.length,
    questions: set.questions.length,
    recall: spreadOf(rates.map(({ recall }) => recall)),
    precision: spreadOf(rates.map(({ precision }) => precision)),
    findMs: spreadOf(pages.map(({ findMs }) => findMs)),
    readMs: spreadOf(pages.map(({ readMs }) => readMs)),
  };
}

async function fused(pack: LoadedPack, set: EvaluationSet): Promise<Quality> {
  const { fused: quality } = rateSet(pack, await searchSet(pack, set));
  if (quality === undefined) throw new Error("nothing was ranked");
  return quality;
}

function spreadOf(values: readonly number[]): Spread {
  return { mean: mean(values), median: median(values) };
}

function summaryOf({ set, read, pages, questions, recall, precision, findMs, readMs }: ScansOfSet): string {
  const kept = (100 * read["nDCG@10"]) / set["nDCG@10"];
  return (
    `${questions} questions, ${pages} pages; fused nDCG@10 ${set["nDCG@10"].toFixed(1)} set, ` +
    `${read["nDCG@10"].toFixed(1)} read (${kept.toFixed(0)} %); words read: recall ${percent(recall.mean)} mean, ` +
    `${percent(recall.median)} median, precision ${percent(precision.mean)}; ` +
    `processor per page: lines ${findMs.median.toFixed(0)} ms, words ${readMs.median.toFixed(0)} ms (medians)`
  );
}

const percent = (share: number): string => `${(100 * share).toFixed(1)} %`;
