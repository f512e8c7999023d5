import type { Drs } from "@drs/client";
import { plainBm25 } from "../bm25.ts";
import { type Figures, qualityOf, tablesOf } from "../quality.ts";
import { reliabilityTable, type Scored } from "../reliability.ts";
import { type QuestionsOptions, type RealQuestion, serveQuestions } from "./serve-documents.ts";

/** Measures the whole product on questions about real documents: uploads them to a server, and asks it questions. */
export async function evaluateQuestions(options: QuestionsOptions): Promise<Figures> {
  return serveQuestions(options, {
    async served({ drs, questions, ids }) {
      const asked = await ask(drs, questions, ids);
      const figures = figuresOf(asked);
      process.stdout.write(`${tablesOf(figures)}\n${reliabilityTable(scoredIn(asked))}`);
      return figures;
    },
    kept: async (_, figures) => figures,
  });
}

interface QuestionResult {
  readonly question: RealQuestion;
  /** Scores by page, best first. */
  readonly all: ReadonlyMap<string, number>;
  readonly within: ReadonlyMap<string, number>;
  /** Pages by BM25 of only their text layers, best first. */
  readonly byWords: readonly string[];
  readonly answers: ReadonlySet<string>;
}

interface FoundPage {
  readonly datasetId: string;
  readonly col: number;
  readonly score: number;
}

async function ask(
  drs: Drs,
  questions: readonly RealQuestion[],
  ids: ReadonlyMap<string, string>,
): Promise<readonly QuestionResult[]> {
  const asked: QuestionResult[] = [];
  const rankByWords = await wordsOf(drs, ids);
  for (const question of questions) {
    const id = ids.get(question.doc) ?? "";
    // Pages of documents with the same text count as pages of one.
    const same = new Set((question.also_docs ?? []).map((name) => ids.get(name)));
    const nameOf = ({ datasetId, col }: Pick<FoundPage, "datasetId" | "col">): string =>
      `${same.has(datasetId) ? id : datasetId}/${col}`;
    const named = (found: readonly FoundPage[]): ReadonlyMap<string, number> => {
      const scores = new Map<string, number>();
      for (const one of found) if (!scores.has(nameOf(one))) scores.set(nameOf(one), one.score);
      return scores;
    };
    asked.push({
      question,
      all: named(await drs.search(question.q)),
      within: named(await drs.search(question.q, { datasetIds: [id] })),
      byWords: [...new Set(rankByWords(question.q).map(nameOf))],
      answers: new Set(question.pages.map((page) => `${id}/${page}`)),
    });
  }
  return asked;
}

/** Returns a search by words in the text layers of the server's pages. */
async function wordsOf(
  drs: Drs,
  ids: ReadonlyMap<string, string>,
): Promise<(question: string) => readonly { readonly datasetId: string; readonly col: number }[]> {
  const pages: { readonly datasetId: string; readonly col: number; readonly text: string }[] = [];
  for (const datasetId of ids.values()) {
    const query = { row: "jpg", include: ["text"], sort: ["col"] } as const;
    for await (const { col, text = "" } of drs.items.list(datasetId, query)) pages.push({ datasetId, col, text });
  }
  const rank = plainBm25(pages.map(({ text }) => text));
  // Twice as many as are measured, because some may be the same page of two documents.
  return (question) => rank(question, 20).flatMap((place) => pages[place] ?? []);
}

/** Returns the scores of results, in all documents and within the right one. */
function scoredIn(asked: readonly QuestionResult[]): Readonly<Record<string, readonly Scored[]>> {
  const scored = (of: (one: QuestionResult) => ReadonlyMap<string, number>): Scored[] =>
    asked.flatMap((one) => Array.from(of(one), ([page, score]) => ({ score, isRelevant: one.answers.has(page) })));
  return { "all documents": scored(({ all }) => all), "within the document": scored(({ within }) => within) };
}

function figuresOf(asked: readonly QuestionResult[]): Figures {
  const groups: Record<string, QuestionResult[]> = { all: [...asked] };
  for (const result of asked) for (const group of groupsOf(result.question)) (groups[group] ??= []).push(result);
  const rate = (rank: (one: QuestionResult) => readonly string[]) =>
    Object.fromEntries(
      Object.entries(groups).map(([group, some]) => [
        group,
        qualityOf(
          some.map(rank),
          some.map(({ answers }) => answers),
        ),
      ]),
    );
  return {
    "all documents": rate(({ all }) => [...all.keys()]),
    "BM25 of text layers": rate(({ byWords }) => byWords),
    "within the document": rate(({ within }) => [...within.keys()]),
  };
}

function groupsOf({ names, kind, scan, lang }: RealQuestion): readonly string[] {
  const groups = [
    names === undefined ? [] : names ? "named" : "not named",
    kind ?? [],
    scan === undefined ? [] : scan ? "scans" : "text pages",
    lang ?? [],
  ];
  return groups.flat();
}
