import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { gunzip } from "node:zlib";
import { z } from "zod";

/** Questions over documents of one page each, with the pages that answer them. */
export interface EvaluationSet {
  readonly name: string;
  readonly documents: readonly string[];
  readonly questions: readonly Question[];
}

export interface Question {
  readonly text: string;
  /** Indexes in `documents`. */
  readonly answers: ReadonlySet<number>;
}

const pair = z.object({ q: z.string(), d: z.string() });
const cranfield = z.object({
  docs: z.array(z.string()),
  q: z.array(z.object({ q: z.string(), gold: z.array(z.int().nonnegative()) })),
});

/** The names of the docs of four repositories, which are searched as one. */
const repositories = ["basecamp", "govuk", "handbook", "prometheus"];

export const setNames = ["xquad", "tatqa", "cranfield", "repositories"] as const;
export type SetName = (typeof setNames)[number];

/** Reads a set from `dataDir/eval`, where it is stored as gzipped JSON or JSON lines. */
export async function readSet(dataDir: string, name: SetName): Promise<EvaluationSet> {
  const folder = join(dataDir, "eval");
  if (name === "cranfield") {
    const { docs, q } = cranfield.parse(JSON.parse(await unzipped(join(folder, "cranfield.json.gz"))));
    return { name, documents: docs, questions: q.map(({ q: text, gold }) => ({ text, answers: new Set(gold) })) };
  }
  const sources = name === "repositories" ? repositories : [name];
  const texts = await Promise.all(sources.map((source) => unzipped(join(folder, `${source}.jsonl.gz`))));
  return pairsAsSet(name, texts.join("\n"));
}

/** Reads one question per line. Equal documents become one document. */
function pairsAsSet(name: string, jsonLines: string): EvaluationSet {
  const places = new Map<string, number>();
  const questions = jsonLines
    .split("\n")
    .filter((line) => line.trim() !== "")
    .map((line): Question => {
      const { q, d } = pair.parse(JSON.parse(line));
      const place = places.get(d) ?? places.size;
      places.set(d, place);
      return { text: q, answers: new Set([place]) };
    });
  return { name, documents: [...places.keys()], questions };
}

async function unzipped(file: string): Promise<string> {
  return (await promisify(gunzip)(await readFile(file))).toString("utf8");
}
