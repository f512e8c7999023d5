import { loadPack, readManifest } from "../../../server/embedding/load.ts";
import { baseOf, scaleOf } from "../../../server/ranking/calibrate/odds.ts";
import type { LoadedPack } from "../../../server/embedding/pack.ts";
import { resolvePackDir } from "../../../server/embedding/packs.ts";
import { withOwnIndex } from "../index-set.ts";
import { fitOdds, type FittedOdds, type RankedEvidence, rankedEvidence, type Group } from "../fit-odds.ts";
import { reliabilityTable, type Scored } from "../reliability.ts";
import { type CollectionName, readAny } from "./collections.ts";
import type { Collection, DocumentQuestion } from "./collection.ts";
import { indexCollection, type IndexedCollection, pageOf, withManuals } from "./index-collection.ts";
import { type QuestionsOptions, readQuestions } from "./serve-documents.ts";
import type { SetName } from "../sets.ts";

/** The weight of each source. */
const sources = {
  xquad: 0.7,
  tatqa: 1,
  wtq: 1,
  manuals: 1,
  repositories: 0.3,
  openstax: 0.3,
} as const satisfies Partial<Record<SetName | CollectionName | "manuals", number>>;
type Source = keyof typeof sources;
const sourceNames = ["xquad", "tatqa", "wtq", "manuals", "repositories", "openstax"] as const;

/**
 * Whether a source knows only one of several pages that may answer a question, as for headings. The best-rated pages then mostly
 * count as wrong, so only questions that no page of the source answers are used.
 */
const isPartlyKnown = (source: Source): boolean => source === "repositories" || source === "openstax";

/** The ways to ask a question, with their weights: most questions are asked where there is an answer. */
const ways = {
  /** In all documents. */
  all: 1,
  /** In the document with the answer. */
  within: 0.7,
  /** In that document and two others. */
  "three documents": 0.7,
  /** Two or three words of the question, in all documents. */
  short: 0.7,
  /** In all documents except the one with the answer: no page is right. */
  unanswerable: 0.25,
  /** Questions of the next source: no page is even close. */
  unrelated: 0.25,
} as const;
type Way = keyof typeof ways;
const wayNames = ["all", "within", "three documents", "short", "unanswerable", "unrelated"] as const;
const answerless: readonly Way[] = ["unanswerable", "unrelated"];

interface QuestionResult {
  readonly source: Source;
  readonly way: Way;
  /** The index of the question in its source. */
  readonly place: number;
  readonly evidence: RankedEvidence;
}

/** The number of results whose scores are used. */
const shown = 20;
const folds = 5;
/** The maximum number of questions of another source. */
const maxUnrelated = 100;

/**
 * Fits the odds of the group that contains the pack's words, using questions of all lengths in large and small workspaces. Prints
 * how reliable the scores are, with the pack's own odds and with odds fitted to the other questions.
 */
export async function evaluateOdds(options: Omit<QuestionsOptions, "set">): Promise<FittedOdds> {
  const packDir = resolvePackDir(options.model);
  const pack = await loadPack(packDir);
  const lexical = pack.spaces.find(({ kind }) => kind === "lexical")?.name;
  const group = (await readManifest(packDir)).fusion.find(({ spaces }) => lexical !== undefined && lexical in spaces);
  if (group === undefined) throw new Error(`${pack.id} has no space of words`);
  const asked: QuestionResult[] = [];
  try {
    for (const [place, source] of sourceNames.entries()) {
      const next = sourceNames[(place + 1) % sourceNames.length] ?? source;
      const unrelated = (await questionsOf(options.dataDir, next)).slice(0, maxUnrelated).map(({ text }) => text);
      const ask: AskSource = (index, questions, documents) =>
        askIndexed({ index, group, source, documents }, questions, unrelated);
      asked.push(
        ...(source === "manuals"
          ? await withManuals(pack, options, ask)
          : await withCollection(pack, await readAny(options.dataDir, source), ask)),
      );
      process.stderr.write(`${source}\n`);
    }
  } finally {
    await pack.close();
  }
  process.stdout.write(`the pack's odds\n\n${tableOf(asked, () => group)}\n`);
  const fitted = Array.from({ length: folds }, (_, fold) => fit(asked.filter(({ place }) => place % folds !== fold)));
  const heldOut = ({ place }: QuestionResult): Odds => fitted[place % folds] ?? group;
  process.stdout.write(`fitted to the other questions\n\n${tableOf(asked, heldOut)}\n`);
  const all = fit(asked);
  process.stdout.write(`${JSON.stringify(all, undefined, 2)}\n`);
  return all;
}

type AskSource = Parameters<typeof withManuals<readonly QuestionResult[]>>[2];

async function questionsOf(dataDir: string, source: Source): Promise<readonly { readonly text: string }[]> {
  if (source !== "manuals") return (await readAny(dataDir, source)).questions;
  return (await readQuestions("manuals", dataDir)).map(({ q }) => ({ text: q }));
}

async function withCollection(
  pack: LoadedPack,
  collection: Collection,
  ask: AskSource,
): Promise<readonly QuestionResult[]> {
  return withOwnIndex(async (vectors) => {
    const index = await indexCollection(pack, vectors, collection);
    return await ask(index, collection.questions, collection.documents.length);
  });
}

interface SearchIndex {
  readonly index: IndexedCollection;
  readonly group: Group;
  readonly source: Source;
  /** The number of documents. */
  readonly documents: number;
}

async function askIndexed(
  { index, group, source, documents }: SearchIndex,
  questions: readonly DocumentQuestion[],
  unrelated: readonly string[],
): Promise<readonly QuestionResult[]> {
  const asked: QuestionResult[] = [];
  for (const [place, question] of questions.entries()) {
    const found = await askInAllWays(index, group, question, { place, documents });
    asked.push(...found.map(([way, evidence]) => ({ source, way, place, evidence })));
  }
  for (const [place, text] of unrelated.entries()) {
    const values = rankedEvidence(group, await index.search(text)).values.slice(0, shown);
    asked.push({ source, way: "unrelated", place, evidence: { values, relevant: values.map(() => false) } });
  }
  return asked;
}

async function askInAllWays(
  index: IndexedCollection,
  group: Group,
  question: DocumentQuestion,
  { place, documents }: { readonly place: number; readonly documents: number },
): Promise<readonly (readonly [Way, RankedEvidence])[]> {
  const answers = index.answersOf(question);
  const answering = new Set(Array.from(answers, (page) => page.split("/")[0]));
  const ask = async (text: string, among?: readonly number[]) => rankedEvidence(group, await index.search(text, among));
  const rated = ({ pages, values }: Awaited<ReturnType<typeof ask>>): RankedEvidence => ({
    values: values.slice(0, shown),
    relevant: pages.slice(0, shown).map((page) => answers.has(pageOf(page))),
  });
  const all = await ask(question.text);
  const found: (readonly [Way, RankedEvidence])[] = [
    ["all", rated(all)],
    ["short", rated(await ask(shortened(question.text, 2 + (place % 2))))],
  ];
  if (documents === 1) return found;
  const others = [1, 2].map((step) => (question.document + step * (1 + (place % 7))) % documents);
  const elsewhere = all.pages.map(({ datasetId }) => !answering.has(datasetId));
  const without = <Value>(values: readonly Value[]): Value[] => values.filter((_, rank) => elsewhere[rank]);
  return [
    ...found,
    ["within", rated(await ask(question.text, [question.document]))],
    ["three documents", rated(await ask(question.text, [...new Set([question.document, ...others])]))],
    ["unanswerable", rated({ pages: without(all.pages), values: without(all.values) })],
  ];
}

/** Returns the longest words of a text in order, like words typed into a search field. */
function shortened(text: string, count: number): string {
  const words = text.match(/[\p{L}\p{N}]+/gu) ?? [];
  const longest = new Set(words.toSorted((one, other) => other.length - one.length).slice(0, count));
  return words.filter((word) => longest.has(word)).join(" ");
}

function fit(asked: readonly QuestionResult[]): FittedOdds {
  const groups = Map.groupBy(asked, ({ source, way }) => `${source} ${way}`);
  return fitOdds(
    Array.from(groups.values(), (some) => ({
      weight: some[0] === undefined ? 0 : weightOf(some[0]),
      questions: some.map(({ evidence }) => evidence),
    })),
  );
}

const weightOf = ({ source, way }: QuestionResult): number =>
  isPartlyKnown(source) && way !== "unrelated" ? 0 : sources[source] * ways[way];

type Odds = Pick<Group, "odds" | "usual">;

/** Returns a table by way and by source; every source has the same weight. */
function tableOf(asked: readonly QuestionResult[], oddsFor: (one: QuestionResult) => Odds): string {
  const sizes = new Map(sourceNames.map((name) => [name, asked.filter(({ source }) => source === name).length]));
  const scored = (some: readonly QuestionResult[]): Scored[] =>
    some.flatMap((one) => {
      const group = oddsFor(one);
      const base = baseOf(group, one.evidence.values);
      return one.evidence.values.map((value, rank) => ({
        score: 1 / (1 + Math.exp(-base - scaleOf(group.odds) * value)),
        isRelevant: one.evidence.relevant[rank] === true,
        weight: 1 / (sizes.get(one.source) ?? 1),
      }));
    });
  const answerable = asked.filter(({ way }) => !answerless.includes(way));
  return reliabilityTable({
    "all ways": scored(answerable),
    "answers known": scored(answerable.filter(({ source }) => !isPartlyKnown(source))),
    ...Object.fromEntries(wayNames.map((name) => [name, scored(asked.filter(({ way }) => way === name))])),
    ...Object.fromEntries(
      sourceNames.map((name) => [name, scored(answerable.filter(({ source }) => source === name))]),
    ),
  });
}
