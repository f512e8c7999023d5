import { describe, expect, it } from "vitest";
import { newDatasetId, newWorkspaceId } from "../../server/domain/ids.ts";
import type { LexicalRow } from "../../server/domain/ports/vectors.ts";
import { bm25 } from "./testing/bm25.ts";
import { lexical, scope, type OpenVectorFixture, useVectors } from "./testing/vectors.ts";

/** Words that no language has, so that nothing stems, joins or leaves them out. */
const vocabulary = Array.from({ length: 60 }, (_, at) => {
  const letter = (place: number): string => "bdfgkmpvxz".charAt(place % 10);
  return `${letter(at)}${letter(Math.floor(at / 10))}q${letter(at * 7 + 3)}`;
});

/**
 * By which share a score may be off: engines may round the lengths of pages, and, until their next maintenance, rank rows
 * that have been indexed and others by statistics that lack the others, or still have removed ones.
 */
const tolerance = { maintained: 0.04, otherwise: 0.5 };

/** A generator of numbers from 0 to 1 that are the same in every run (mulberry32). */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** The word space ranks as BM25 does. */
export function bm25Contract(open: OpenVectorFixture): void {
  describe("words by BM25", () => {
    const db = useVectors(open);

    it("ranks as a reference does, after each of many writes, removals, replacements and rounds of maintenance", async () => {
      const random = seeded(7);
      // Few words are frequent and most are rare, as in language.
      const word = (): string => vocabulary[Math.floor(vocabulary.length * random() ** 3)] ?? "";
      const words = (least: number, most: number): string =>
        Array.from({ length: least + Math.floor(random() * (most - least)) }, word).join(" ");
      const workspaceId = newWorkspaceId();
      const held = new Map<string, string>();
      const put = async (rows: readonly LexicalRow[]): Promise<void> => {
        await db.store.putLexical(lexical, rows);
        for (const row of rows) held.set(`${row.datasetId}/${row.page}`, row.words);
      };
      const rowsOf = (datasetId = newDatasetId(), count = 40): LexicalRow[] =>
        Array.from({ length: count }, (_, at) => {
          return { workspaceId, datasetId, generation: "", page: at + 1, words: words(5, 80) };
        });
      const compare = async (rounding: number): Promise<void> => {
        const [keys, texts] = [[...held.keys()], [...held.values()]];
        for (let round = 0; round < 6; round++) {
          const question = words(1, 6);
          const expected = new Map(
            bm25(texts, question.split(" ")).flatMap((score, at) => (score > 0 ? [[keys[at] ?? "", score]] : [])),
          );
          const hits = await db.store.searchLexical(lexical, question, scope(workspaceId, undefined, 500));
          const found = new Map(hits.map(({ datasetId, page, score }) => [`${datasetId}/${page}`, score]));
          expect(new Set(found.keys())).toEqual(new Set(expected.keys()));
          // Scores are as in an index of another size, all by one factor.
          const sum = (scores: Iterable<number>): number => [...scores].reduce((all, one) => all + one, 0);
          const factor = sum(found.values()) / sum(expected.values());
          const ratios = Array.from(found, ([key, score]) => score / factor / (expected.get(key) ?? 0));
          expect(Math.min(...ratios)).toBeGreaterThan(1 - rounding);
          expect(Math.max(...ratios)).toBeLessThan(1 + rounding);
        }
      };
      const { maintained, otherwise } = tolerance;
      const dataset = newDatasetId();
      await put(rowsOf(dataset));
      await compare(otherwise);
      await db.store.maintain();
      await compare(maintained);
      await put(rowsOf());
      await put(rowsOf(dataset, 10));
      await compare(otherwise);
      await db.store.maintain();
      await put(rowsOf());
      await db.store.maintain();
      await compare(maintained);
      await db.store.removeDataset(dataset);
      for (const key of held.keys()) if (key.startsWith(dataset)) held.delete(key);
      await compare(otherwise);
    });

    it("counts a word once however often it is asked for, and the stop words of the question's language not at all", async () => {
      const workspaceId = newWorkspaceId();
      const space = { ...lexical, name: "asked" };
      const datasetId = newDatasetId();
      const row = (page: number, text: string): LexicalRow => {
        return { workspaceId, datasetId, generation: "", page, words: text };
      };
      await db.store.putLexical(space, [
        row(1, "zebra giraffe"),
        row(2, "because it does every other thing before"),
        row(3, "the giraffe ran"),
        row(4, "die Giraffe der Savanne"),
      ]);
      const scores = async (text: string): Promise<Map<number, number>> => {
        const hits = await db.store.searchLexical(space, text, scope(workspaceId));
        return new Map(hits.map(({ page, score }) => [page, score]));
      };
      expect(await scores("zebra zebra Zebra giraffe")).toEqual(await scores("zebra giraffe"));
      expect(await scores("what does a zebra do before because of its giraffe?")).toEqual(
        await scores("zebra giraffe"),
      );
      expect((await scores("warum die Giraffe und nicht der Löwe")).get(2)).toBeUndefined();
    });
  });
}
