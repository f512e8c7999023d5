import { rankCandidates } from "../../../server/ranking/calibrate/ranking.ts";
import { rankedIn } from "../../../server/ranking/testing/ranked-in.ts";
import type { PageHit } from "../../../server/domain/ports/vectors.ts";
import { loadPack } from "../../../server/embedding/load.ts";
import type { LoadedPack } from "../../../server/embedding/pack.ts";
import { resolvePackDir } from "../../../server/embedding/packs.ts";
import { withOwnIndex } from "../index-set.ts";
import { plainBm25 } from "../bm25.ts";
import { type Figures, qualityOf, tablesOf } from "../quality.ts";
import type { Collection, DocumentQuestion } from "./collection.ts";
import { type CollectionName, readCollection } from "./collections.ts";
import { type IndexedCollection, indexCollection, pageOf } from "./index-collection.ts";

/** The number of measured results. */
const depth = 10;

interface QuestionRankings {
  readonly question: DocumentQuestion;
  readonly answers: ReadonlySet<string>;
  /** Pages by ranking: `BM25`, a space's name, `first stage`, `fused`, and `within`: `fused` within the document that answers. */
  readonly rankings: Readonly<Record<string, readonly string[]>>;
}

/** Measures a pack on collections of documents, through the pack and the vector store, and prints the tables. */
export async function evaluateCollections(options: {
  dataDir: string;
  collections: readonly CollectionName[];
  model: string;
}): Promise<Readonly<Record<string, Figures>>> {
  const pack = await loadPack(resolvePackDir(options.model));
  const figures: Record<string, Figures> = {};
  try {
    for (const name of options.collections) {
      const found = figuresOf(await askAll(pack, await readCollection(options.dataDir, name)));
      figures[name] = found;
      process.stdout.write(`\n${name}\n\n${tablesOf(found)}`);
    }
  } finally {
    await pack.close();
  }
  return figures;
}

async function askAll(pack: LoadedPack, collection: Collection): Promise<readonly QuestionRankings[]> {
  return withOwnIndex(async (vectors) => {
    const index = await indexCollection(pack, vectors, collection);
    const byWords = rankByWords(collection, index);
    const asked: QuestionRankings[] = [];
    for (const question of collection.questions) {
      const { candidates, reading } = await index.search(question.text);
      const within = await index.search(question.text, [question.document]);
      const spaces = Array.from(
        candidates.spaces.keys(),
        (space) => [space, pagesOf(rankedIn(candidates, space))] as const,
      );
      const rankings = {
        BM25: byWords(question.text),
        ...Object.fromEntries(spaces),
        "first stage": pagesOf(rankCandidates(pack.fusion, candidates)),
        fused: pagesOf(rankCandidates(pack.fusion, candidates, reading)),
        within: pagesOf(rankCandidates(pack.fusion, within.candidates, within.reading)),
      };
      asked.push({ question, answers: index.answersOf(question), rankings });
    }
    return asked;
  });
}

/** Returns a BM25 ranking. Pages are named as by `pageOf`. */
function rankByWords({ documents }: Collection, index: IndexedCollection): (text: string) => readonly string[] {
  const pages = documents.flatMap(({ pages: texts }, document) =>
    texts.map((text, place) => ({ text, name: index.nameOf(document, place + 1) })),
  );
  const rank = plainBm25(pages.map(({ text }) => text));
  return (text) => rank(text, depth).flatMap((place) => pages[place]?.name ?? []);
}

const pagesOf = (hits: readonly PageHit[]): string[] => hits.map(pageOf);

function figuresOf(asked: readonly QuestionRankings[]): Figures {
  const rankings = [...new Set(asked.flatMap((one) => Object.keys(one.rankings)))];
  const groups = {
    all: asked,
    "document named": asked.filter(({ question }) => question.isNamed),
    "not named": asked.filter(({ question }) => !question.isNamed),
  };
  return Object.fromEntries(
    rankings.map((ranking) => [
      ranking,
      Object.fromEntries(
        Object.entries(groups)
          .filter(([, questions]) => questions.length > 0)
          .map(([group, questions]) => [
            group,
            qualityOf(
              questions.map((one) => one.rankings[ranking] ?? []),
              questions.map(({ answers }) => answers),
            ),
          ]),
      ),
    ]),
  );
}
