import { describe, expect, it } from "vitest";
import { newDatasetId, newWorkspaceId } from "../../server/domain/ids.ts";
import { documentRows, type LexicalSpace, rowKey } from "../../server/domain/ports/vectors.ts";
import { lexical, type OpenVectorFixture, scope, useVectors } from "./testing/vectors.ts";
import { countWords } from "../../server/ranking/answer/explain-pages.ts";
import { findTerms } from "../../server/ranking/rerank/reading.ts";
import { readTerms } from "./testing/read-terms.ts";

const documents: LexicalSpace = { ...lexical, name: `${lexical.name}:documents`, unit: "document" };

/** The contract of the documents that a second stage reads. */
export function documentsContract(open: OpenVectorFixture): void {
  describe("terms and documents", () => {
    const db = useVectors(open);

    it("gives the terms of pages in their order, of the workspace and the generation that are asked for", async () => {
      const [workspaceId, other] = [newWorkspaceId(), newWorkspaceId()];
      const [mine, theirs] = [newDatasetId(), newDatasetId()];
      const row = {
        workspaceId,
        datasetId: mine,
        generation: "",
        page: 1,
        words: "The walrus of the café has 1,234.50 for it",
      };
      await db.store.putLexical(lexical, [
        row,
        { ...row, generation: "a1", words: "another walrus" },
        { ...row, workspaceId: other, datasetId: theirs },
      ]);
      const wanted = [row, { ...row, page: 2 }, { ...row, datasetId: theirs }];
      const read = await readTerms(db.store, lexical, { pages: wanted, workspaceId });
      expect([...read]).toEqual([[rowKey(row), "The walrus of the cafe has 1234d5 for it"]]);
    });

    it("finds the terms of a question on pages of the workspace, in the order of the page, in all of their forms", async () => {
      const [workspaceId, other] = [newWorkspaceId(), newWorkspaceId()];
      const [mine, theirs] = [newDatasetId(), newDatasetId()];
      const row = { workspaceId, datasetId: mine, generation: "", page: 1 };
      const words = "The Walruses of the café on Nørregade walked on and on";
      await db.store.putLexical(lexical, [
        { ...row, words },
        { ...row, generation: "a1", words: "another walrus" },
        { ...row, workspaceId: other, datasetId: theirs, words },
      ]);
      const wanted = [{ ...row, page: 2 }, row, { ...row, datasetId: theirs }, { ...row, generation: "a1" }];
      const question = "Walking from the walrus café to Norregade, walrus";
      const found = await findTerms(db.store, lexical, { question, pages: wanted, workspaceId });
      expect(found).toEqual({
        question: ["Walking", "from", "the", "walrus", "cafe", "to", "Norregade", "walrus"],
        pages: [
          undefined,
          { length: 11, places: [0, 1, 3, 4, 6, 7], asked: [2, 3, 2, 4, 6, 0] },
          undefined,
          { length: 2, places: [1], asked: [3] },
        ],
      });
      await db.store.putLexical(lexical, [{ ...row, words: "cafes" }]);
      const { pages } = await findTerms(db.store, lexical, { question, pages: wanted, workspaceId });
      expect(pages[1]).toEqual({ length: 1, places: [0], asked: [4] });
      await db.store.removeDataset(mine);
      expect((await findTerms(db.store, lexical, { question, pages: wanted, workspaceId })).pages).toEqual(
        wanted.map(() => undefined),
      );
    });

    it("finds words as text layers have them where these write otherwise than people do", async () => {
      const workspaceId = newWorkspaceId();
      const page = { datasetId: newDatasetId(), generation: "", page: 1 };
      await db.store.putLexical(lexical, [
        { ...page, workspaceId, words: `السالم عليكم ${"ทำงาน".normalize("NFKC")}` },
      ]);
      const found = (question: string) => db.store.searchLexical(lexical, question, scope(workspaceId));
      expect(await found("السلام")).toMatchObject([page]);
      expect(await found("ทำงาน")).toMatchObject([page]);
      const { pages } = await findTerms(db.store, lexical, { question: "عليكم السلام", pages: [page], workspaceId });
      // After the words of the page, their beginnings.
      expect(pages).toMatchObject([{ places: [0, 1, 7, 8], asked: [1, 0, 4, 2] }]);
    });

    it("counts the words of a question on pages of the workspace, by all that pages are found by", async () => {
      const [workspaceId, other] = [newWorkspaceId(), newWorkspaceId()];
      const [mine, theirs] = [newDatasetId(), newDatasetId()];
      const row = { workspaceId, datasetId: mine, generation: "", page: 1 };
      await db.store.putLexical(lexical, [
        { ...row, words: "The Walruses met a walrus, and getElementById finds the element" },
        { ...row, page: 2, words: "Das Dampfschiff fährt für die Donau und der Kapitän zahlt Miete nach dem Vertrag" },
        { ...row, workspaceId: other, datasetId: theirs, words: "walrsu" },
      ]);
      const wanted = [{ ...row, page: 3 }, row, { ...row, page: 2 }, { ...row, datasetId: theirs }];
      const count = async (question: string) => {
        const { words, pages } = await countWords(db.store, lexical, {
          question,
          pages: wanted,
          searched: scope(workspaceId),
        });
        expect([pages[0], pages[3]]).toEqual([undefined, undefined]);
        const [first, second] = [pages[1]?.words ?? [], pages[2]?.words ?? []];
        return words.map(({ written }, at) => [
          written,
          ...[first[at], second[at]].flatMap((page) => [page?.count, ...(page?.foundAs ?? [])]),
        ]);
      };
      // Of another workspace nothing is known, its words neither.
      expect(await count("Where is the Walrsu?")).toEqual([["Walrsu", 2, "Walruses", "walrus", 0]]);
      expect(await count("Schiff")).toEqual([["Schiff", 0, 1]]);
      expect(await count("Mietvertrag")).toEqual([["Mietvertrag", 0, 2, "Miete", "Vertrag"]]);
      expect(await count("getElementById")).toEqual([["getElementById", 1, 0]]);
      expect(await count("the ElementFinds")).toEqual([["ElementFinds", 3, 0]]);
      expect(await count("to be the and")).toEqual([
        ["to", 0, 0],
        ["be", 0, 0],
        ["the", 2, 0],
        ["and", 1, 0],
      ]);
      expect(
        await countWords(
          db.store,
          { ...lexical, name: "unknown" },
          { question: "x", pages: wanted, searched: scope(workspaceId) },
        ),
      ).toEqual({
        words: [{ written: "x", roots: ["x"], guesses: [] }],
        pages: wanted.map(() => undefined),
      });
      expect(
        (await countWords(db.store, lexical, { question: "x", pages: [], searched: scope(workspaceId) })).pages,
      ).toEqual([]);
    });

    it("finds the best pages of some datasets beside the best of all", async () => {
      const workspaceId = newWorkspaceId();
      const [many, few, other] = [newDatasetId(), newDatasetId(), newDatasetId()];
      const row = { workspaceId, generation: "" };
      const words = (count: number) => `${"otter ".repeat(count)}and the river`;
      await db.store.putLexical(lexical, [
        ...Array.from({ length: 30 }, (_, at) => ({ ...row, datasetId: many, page: at + 1, words: words(9) })),
        ...[1, 2, 3].map((page) => ({ ...row, datasetId: few, page, words: words(4 - page) })),
        { ...row, datasetId: other, page: 1, words: words(1) },
        { ...row, workspaceId: newWorkspaceId(), datasetId: newDatasetId(), page: 1, words: words(9) },
      ]);
      // Scores of rows that are not in the index yet depend on which of them are asked for.
      await db.store.maintain();
      const found = async (limit: number, also: { datasetIds: (typeof many)[]; limit: number }, within?: string) => {
        const all = scope(workspaceId, undefined, limit);
        const asked =
          within === undefined ? all : { ...all, words: { phrases: [within], without: [], withoutPhrases: [] } };
        return await db.store.searchLexical(lexical, "otter", asked, Promise.resolve(also));
      };
      for (const phrase of [undefined, "the river"]) {
        const all = await found(100, { datasetIds: [], limit: 1 }, phrase);
        expect(all).toHaveLength(34);
        const ofFew = all.filter(({ datasetId }) => datasetId === few).slice(0, 2);
        const hits = await found(5, { datasetIds: [few], limit: 2 }, phrase);
        expect(hits).toEqual(all.filter((hit, rank) => rank < 5 || ofFew.includes(hit)));
        // Those that are among the best anyway come once.
        expect(await found(40, { datasetIds: [few, many], limit: 50 }, phrase)).toEqual(all);
        expect(await found(2, { datasetIds: [], limit: 50 }, phrase)).toEqual(all.slice(0, 2));
      }
    });

    it("reads nothing of a space that has no rows, and of no pages", async () => {
      const [workspaceId, datasetId] = [newWorkspaceId(), newDatasetId()];
      const page = { datasetId, generation: "", page: 1 };
      expect(await readTerms(db.store, { ...lexical, name: "unknown" }, { pages: [page], workspaceId })).toEqual(
        new Map(),
      );
      expect((await readTerms(db.store, lexical, { pages: [], workspaceId })).size).toBe(0);
      expect(
        await findTerms(db.store, { ...lexical, name: "unknown" }, { question: "x", pages: [page], workspaceId }),
      ).toEqual({
        question: ["x"],
        pages: [undefined],
      });
      expect(await findTerms(db.store, lexical, { question: "x", pages: [], workspaceId })).toEqual({
        question: ["x"],
        pages: [],
      });
    });

    it("keeps rows of documents beside those of pages, and removes them with their dataset", async () => {
      const workspaceId = newWorkspaceId();
      const [datasetId, other] = [newDatasetId(), newDatasetId()];
      const row = { workspaceId, datasetId, generation: "", page: documentRows.name, words: "annual report 2018" };
      await db.store.putLexical(documents, [row, { ...row, datasetId: other, words: "annual report 2019" }]);
      await db.store.putLexical(documents, [
        { workspaceId, datasetId, generation: "", page: documentRows.whole, terms: "otter otter lynx" },
      ]);
      const find = async (text: string) =>
        (await db.store.searchLexical(documents, text, scope(workspaceId))).map((hit) => [hit.datasetId, hit.page]);
      expect(await find("report of 2018")).toEqual([
        [datasetId, documentRows.name],
        [other, documentRows.name],
      ]);
      expect(await find("which AnnualReport")).toEqual([]);
      await db.store.putLexical(documents, [{ ...row, datasetId: other, words: "annualreport 2019" }]);
      expect((await find("the annual report of 2019"))[0]).toEqual([other, documentRows.name]);
      expect(await find("otters")).toEqual([[datasetId, documentRows.whole]]);
      expect(await db.store.searchLexical(lexical, "2018", scope(workspaceId))).toEqual([]);
      await db.store.removeDataset(datasetId);
      expect(await find("2018 otter")).toEqual([]);
      expect(await find("2019")).toEqual([[other, documentRows.name]]);
    });
  });
}
