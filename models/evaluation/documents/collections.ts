import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { gunzip } from "node:zlib";
import { z } from "zod";
import { xorshift } from "../../xorshift.ts";
import { readSet, type SetName } from "../sets.ts";
import type { CollectedDocument, Collection, DocumentQuestion } from "./collection.ts";
import { readFilings, type Random } from "./filings.ts";

const section = z.object({ q: z.string(), d: z.string(), g: z.string() });
type Section = z.infer<typeof section>;

/** How the files of a source become documents: which parts of a path make a document, and which name it. */
interface Source {
  readonly document: (path: readonly string[]) => string;
}

const byFolder: Source = { document: (path) => path.slice(0, -1).slice(-2).join("-") };
const byFile: Source = { document: (path) => path.at(-1) ?? "" };

const sources = {
  openstax: { document: ([book = ""]) => book.replace("osbooks-", "") },
  cpp: byFolder,
  driver: byFolder,
  posh: { document: (path) => path.at(-2) ?? "" },
  d365: byFile,
  helm: byFile,
  rustbook: byFile,
  contribute: byFile,
} as const satisfies Readonly<Record<string, Source>>;

export const collectionNames = ["openstax", "cpp", "driver", "posh", "d365", "small", "wtq", "filings"] as const;
export type CollectionName = (typeof collectionNames)[number];

/** Words of a page: sections are joined until they have the minimum, and cut at the maximum. */
const pageWords = { least: 220, most: 700 };
const maxPages = 1_200;
const maxPagesPerDocument = 150;
/** The maximum number of questions of a collection or a set. Those of a set are picked evenly from all its questions. */
const maxQuestions = 250;

/** Builds the collection from the grouped texts in `dataDir/pairs`, the same in every run. */
export async function readCollection(dataDir: string, name: CollectionName): Promise<Collection> {
  const random = below(xorshift(1 + collectionNames.indexOf(name)));
  if (name === "filings") return readFilings(dataDir, random);
  if (name === "wtq") return tables(await readSections(dataDir, "wtq"), random);
  const names = name === "small" ? (["helm", "rustbook", "contribute"] as const) : [name];
  const documents = new Map<string, Section[]>();
  for (const source of names) {
    for (const one of await readSections(dataDir, source)) {
      const key = `${source}/${sources[source].document(one.g.split("/"))}`;
      const sections = documents.get(key);
      if (sections === undefined) documents.set(key, [one]);
      else sections.push(one);
    }
  }
  return collect(name, shuffled([...documents], random), random);
}

const below =
  (random: () => number): Random =>
  (most) =>
    Math.floor(random() * most);

async function readSections(dataDir: string, source: string): Promise<Section[]> {
  const packed = await readFile(join(dataDir, "pairs", `${source}.jsonl.gz`));
  const lines = (await promisify(gunzip)(packed)).toString("utf8").split("\n");
  return lines.filter((line) => line !== "").map((line) => section.parse(JSON.parse(line)));
}

interface Draft {
  readonly text: string;
  readonly document: number;
  readonly page: number;
}

function collect(name: string, found: readonly (readonly [string, readonly Section[]])[], random: Random): Collection {
  const documents: CollectedDocument[] = [];
  const drafts: Draft[] = [];
  let pages = 0;
  for (const [key, sections] of found) {
    if (pages >= maxPages) break;
    const made = pagesOf(sections, random);
    if (made.pages.length < 2) continue;
    const document = documents.length;
    const stem = (key.split("/").at(-1) ?? "").replace(/\.\w+$/, "");
    documents.push({ fileName: `${stem}.pdf`, pages: made.pages });
    drafts.push(...made.questions.map((question) => ({ ...question, document })));
    pages += made.pages.length;
  }
  return { name, documents, questions: chosen(drafts, documents, random) };
}

/** Selects questions that occur only once. Adds the document's name to some, because people name what they look for. */
function chosen(drafts: readonly Draft[], documents: readonly CollectedDocument[], random: Random): DocumentQuestion[] {
  const times = new Map<string, number>();
  for (const { text } of drafts) times.set(text, (times.get(text) ?? 0) + 1);
  const once = drafts.filter(({ text }) => times.get(text) === 1);
  return shuffled(once, random)
    .slice(0, maxQuestions)
    .map(({ text, document, page }) => {
      const isNamed = random(3) === 0;
      const name = (documents[document]?.fileName ?? "").replace(".pdf", "").replace(/[-_]+/g, " ");
      return { text: isNamed ? named(text, name, random) : text, document, pages: new Set([page]), isNamed };
    });
}

function named(text: string, name: string, random: Random): string {
  const ways = [`${text} (${name})`, `In ${name}, ${text}`, `${name} ${text}`, `${name}: ${text}`];
  return ways[random(ways.length)] ?? text;
}

interface MadePages {
  readonly pages: readonly string[];
  readonly questions: readonly Omit<Draft, "document">[];
}

function pagesOf(sections: readonly Section[], random: Random): MadePages {
  const pages: string[] = [];
  const questions: Omit<Draft, "document">[] = [];
  let texts: string[] = [];
  const seen = new Set<string>();
  const end = (): void => {
    if (texts.length > 0) pages.push(texts.join("\n"));
    texts = [];
  };
  for (const { q, d } of sections) {
    if (pages.length >= maxPagesPerDocument) break;
    // Several questions may belong to one text.
    const isNew = !seen.has(d);
    if (!isNew && pages.length > 0 && !texts.some((text) => text.includes(d.slice(0, 80)))) continue;
    let text = d;
    if (isAskable(q)) {
      questions.push({ text: q, page: pages.length + 1 });
      // A question that is the heading of its answer would give the page away, so half of the answers lose their heading.
      text = d.startsWith(q) && random(2) === 0 ? d.slice(q.length).replace(/^[\s.:]+/, "") : d;
    }
    if (!isNew) continue;
    seen.add(d);
    const sentence = random(4) === 0 ? sentenceOf(text, random) : undefined;
    if (sentence !== undefined) {
      questions.push({ text: sentence, page: pages.length + 1 });
      text = text.replace(sentence, "");
    }
    texts.push(text.split(/\s+/).slice(0, pageWords.most).join(" "));
    if (wordsIn(texts.join(" ")) >= pageWords.least) end();
  }
  end();
  return { pages, questions: questions.filter(({ page }) => page <= pages.length) };
}

const wordsIn = (text: string): number => text.split(/\s+/).length;

const isAskable = (text: string): boolean => wordsIn(text) >= 4 && wordsIn(text) <= 40;

function sentenceOf(text: string, random: Random): string | undefined {
  const sentences = (text.match(/[A-Z][^.!?]+[.!?]/g) ?? []).filter((one) => wordsIn(one) >= 9 && wordsIn(one) <= 28);
  return sentences.length < 4 ? undefined : sentences[random(sentences.length)];
}

/** Builds documents with meaningless names from tables, with questions about their cells. */
function tables(sections: readonly Section[], random: Random): Collection {
  const byTable = Map.groupBy(sections, ({ d }) => d);
  const chosenTables = shuffled([...byTable], random).slice(0, 1_000);
  const documents: CollectedDocument[] = [];
  const questions: DocumentQuestion[] = [];
  for (const [index, [table, asked]] of chosenTables.entries()) {
    const document = Math.floor(index / 40);
    const pages = [...(documents[document]?.pages ?? []), table.split(/\s+/).slice(0, pageWords.most).join(" ")];
    documents[document] = { fileName: `tables-${document + 1}.pdf`, pages };
    const question = asked[random(asked.length)];
    if (question === undefined || questions.length >= maxQuestions) continue;
    questions.push({ text: question.q, document, pages: new Set([pages.length]), isNamed: false });
  }
  return { name: "wtq", documents, questions };
}

function shuffled<Value>(values: readonly Value[], random: Random): Value[] {
  const result = [...values];
  for (let last = result.length - 1; last > 0; last--) {
    const other = random(last + 1);
    const [one, two] = [result[last], result[other]];
    if (one === undefined || two === undefined) continue;
    [result[last], result[other]] = [two, one];
  }
  return result;
}

/** Reads a collection, or a set of the evaluation as a collection of one document. */
export async function readAny(dataDir: string, name: SetName | CollectionName): Promise<Collection> {
  if (isCollection(name)) return readCollection(dataDir, name);
  const { documents, questions } = await readSet(dataDir, name);
  const step = Math.ceil(questions.length / maxQuestions);
  return {
    name,
    documents: [{ fileName: `${name}.pdf`, pages: documents }],
    questions: questions
      .filter((_, index) => index % step === 0)
      .map(({ text, answers }) => ({
        text,
        document: 0,
        pages: new Set(Array.from(answers, (place) => place + 1)),
        isNamed: false,
      })),
  };
}

const isCollection = (name: string): name is CollectionName => collectionNames.some((one) => one === name);
