import { describe, expect, it } from "vitest";
import type { PageHit, WordConditions } from "../../server/domain/ports/vectors.ts";
import { axis, scope, type OpenVectorFixture, useTables } from "./testing/vectors.ts";
import {
  type Content,
  denseSpaces,
  documents,
  type Index,
  keyOf,
  newIndex,
  putDocument,
  putPages,
  words,
} from "./testing/whole-pack.ts";
import { countWords } from "../../server/ranking/answer/explain-pages.ts";
import { findTerms } from "../../server/ranking/rerank/reading.ts";
import { readTerms } from "./testing/read-terms.ts";

/** The contract of isolation between workspaces, and between documents and pages. */
export function vectorsApartContract(open: OpenVectorFixture): void {
  describe("tables and rows that are kept apart", () => {
    const db = useTables(open);

    it("show nothing to other workspaces, whatever pages they ask about", async () => {
      const [mine, theirs] = [newIndex(), newIndex()];
      await putPages(db.store, mine, { 1: { words: "otter", at: 0 } });
      await putDocument(db.store, mine, { 1: "otter" });
      const ask = async ({ workspaceId }: Index) => {
        const asked = scope(workspaceId, [mine.datasetId]);
        const pages = [keyOf(mine, 1)];
        const hits = [
          ...(await Promise.all(denseSpaces.map((space) => db.store.searchDense(space, axis(0), asked)))),
          ...(await Promise.all(denseSpaces.map((space) => db.store.scorePages(space, axis(0), pages, workspaceId)))),
          await db.store.searchLexical(words, "otter", asked),
          await db.store.searchLexical(documents, "otter", asked),
        ].map(({ length }) => length);
        const conditions = { phrases: ["otter"], without: [], withoutPhrases: [] };
        const met = await db.store.meeting(words, conditions, pages, workspaceId);
        const terms = await readTerms(db.store, words, { pages, workspaceId });
        const places = await findTerms(db.store, words, { question: "otter", pages, workspaceId });
        const counts = await countWords(db.store, words, { question: "oter", pages, searched: scope(workspaceId) });
        const guesses = counts.words.flatMap((word) => word.guesses);
        return [...hits, met.length, terms.size, places.pages[0], counts.pages[0], guesses];
      };
      const nothing = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, undefined, undefined, []];
      expect(await ask(theirs)).toEqual(nothing);
      await putPages(db.store, theirs, { 1: { words: "walrus", at: 9 } });
      expect(await ask(theirs)).toEqual(nothing);
      const own = await ask(mine);
      expect(own.slice(0, 10)).toEqual([1, 1, 1, 1, 1, 1, 1, 1, 1, 1]);
    });

    it("answer a workspace the same, whatever others have", { timeout: 120_000 }, async () => {
      const texts = [
        "the otter of the harbour sleeps beside the pier",
        "harbour masters and their otters keep a ledger of the harbour",
        "a ledger of walruses",
        "Dampfschiff und Hafen",
        "pier of the lighthouse, otter otter otter",
      ];
      const pages = new Map<number, Content>(
        Array.from({ length: 60 }, (_, at) => [
          at + 1,
          { words: texts[at % 5]?.repeat(1 + (at % 3)) ?? "", at: at % 9 },
        ]),
      );
      const questions = ["otter of the harbour", "ledgre", "Schiff", "walrus lighthouse", "getElementById"];
      const answers = async ({ workspaceId, datasetId, generation }: Index) => {
        const named = (hits: readonly PageHit[]) => hits.map(({ page, score }) => [page, score]);
        const asked = scope(workspaceId, undefined, 40);
        const some = Array.from(pages.keys(), (page) => ({ datasetId, generation, page }));
        return [
          ...(await Promise.all(
            questions.map(async (question) => [
              named(await db.store.searchLexical(words, question, asked)),
              named(await db.store.searchLexical(documents, question, asked)),
              await countWords(db.store, words, { question, pages: some, searched: scope(workspaceId) }),
            ]),
          )),
          ...(await Promise.all(
            denseSpaces.map(async (space) => named(await db.store.searchDense(space, axis(2, 0.4), asked))),
          )),
        ];
      };
      const fill = async (index: Index): Promise<void> => {
        await putPages(db.store, index, pages);
        await putDocument(db.store, index, { 0: "the otter", 1: "harbour ledger of the otter", 2: "pier" });
      };
      const [first, second] = [newIndex(), newIndex()];
      await fill(first);
      const fresh = await answers(first);
      await db.store.maintain();
      const maintained = await answers(first);

      const crowd = newIndex();
      const many = Array.from({ length: 2_500 }, (_, at): [number, Content] => [
        at + 1,
        { words: `otter harbour ledger ledgre walrus lighthouse Schiff ${"pier ".repeat(at % 7)}`, at: at % 16 },
      ]);
      await putPages(db.store, crowd, new Map(many));
      await putDocument(db.store, crowd, { 0: "otter", 1: "otter ledgre harbour", 2: "Schiff" });
      expect(await answers(first)).toEqual(maintained);
      await fill(second);
      expect(await answers(second)).toEqual(fresh);
      await db.store.maintain();
      expect(await answers(second)).toEqual(maintained);
      expect(await answers(first)).toEqual(maintained);
    });

    it("rank pages as if there were no documents, and documents as if there were no pages", async () => {
      const pages: Record<number, Content> = {
        1: { words: "otter and lynx" },
        2: { words: "lynx" },
        3: { words: "seal" },
      };
      const texts = { 0: "otter report", 1: "otter otter lynx", 2: "seal" };
      const [both, onlyPages, onlyDocuments] = [newIndex(), newIndex(), newIndex()];
      for (const index of [both, onlyPages]) await putPages(db.store, index, pages);
      for (const index of [both, onlyDocuments]) await putDocument(db.store, index, texts);
      const scores = async (space: typeof words, { workspaceId }: Index) => {
        const all = ["otter", "lynx seal", "report"].map((asked) =>
          db.store.searchLexical(space, asked, scope(workspaceId)),
        );
        return (await Promise.all(all)).map((hits) => hits.map(({ page, score }) => [page, score]));
      };
      for (let round = 0; round < 2; round++) {
        expect(await scores(words, both)).toEqual(await scores(words, onlyPages));
        expect(await scores(documents, both)).toEqual(await scores(documents, onlyDocuments));
        expect((await scores(words, both)).flat().length).toBe(4);
        expect((await scores(documents, both)).flat().length).toBe(5);
        await db.store.maintain();
      }
    });

    it("keep what pages and documents of the same numbers say apart", async () => {
      const index = newIndex();
      await putPages(db.store, index, { 1: { words: "old otter of the pier" }, 2: { words: "lynx" } });
      await putDocument(db.store, index, { 1: "old lynx of the harbour", 2: "otter" });
      const asked = [1, 2].map((page) => keyOf(index, page));
      const { workspaceId } = index;
      const read = async (space: typeof words) => {
        const terms = await readTerms(db.store, space, { pages: asked, workspaceId });
        const places = await findTerms(db.store, space, { question: "otter", pages: asked, workspaceId });
        const counted = await countWords(db.store, space, {
          question: "otter",
          pages: asked,
          searched: scope(workspaceId),
        });
        const none = { phrases: [], without: [], withoutPhrases: [] };
        const met = async (conditions: Partial<WordConditions>): Promise<number[]> =>
          (await db.store.meeting(space, { ...none, ...conditions }, asked, workspaceId)).map(({ page }) => page);
        return {
          terms: [...terms.values()],
          otters: places.pages.map((page) => page?.places.length),
          counts: counted.pages.map((page) => page?.words[0]?.count),
          withPhrase: await met({ phrases: ["of the harbour"] }),
          without: await met({ without: ["otter"] }),
        };
      };
      // Read in turns, since what was read stays in memory.
      for (let round = 0; round < 2; round++) {
        expect(await read(words)).toEqual({
          terms: ["old otter of the pier", "lynx"],
          otters: [1, 0],
          counts: [1, 0],
          withPhrase: [],
          without: [2],
        });
        expect(await read(documents)).toEqual({
          terms: ["old lynx of the harbour", "otter"],
          otters: [0, 1],
          counts: [0, 1],
          withPhrase: [1],
          without: [1],
        });
      }
    });
  });
}
