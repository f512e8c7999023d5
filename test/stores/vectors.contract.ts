import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { newDatasetId, newWorkspaceId, type DatasetId, type WorkspaceId } from "../../server/domain/ids.ts";
import type { DenseSpace, LexicalSpace, PageHit, VectorStore } from "../../server/domain/ports/vectors.ts";
import { createLibrary } from "./vectors.library.ts";

/** An empty vector store, to which further connections can be opened. */
export interface VectorFixture {
  connect(): Promise<VectorStore>;
  /** Bytes that it takes on its medium. */
  size(): Promise<number>;
  dispose(): Promise<void>;
}

const dimensions = 16;
const dense: DenseSpace = { kind: "dense", pack: "contract@1", name: "text", dimensions };
const lexical: LexicalSpace = { kind: "lexical", pack: "contract@1", name: "words" };

/** A vector along one axis, turned towards the next one by `tilt`. */
function axis(at: number, tilt = 0): Float32Array {
  const vector = new Float32Array(dimensions);
  vector[at % dimensions] = 1;
  vector[(at + 1) % dimensions] = tilt;
  return vector;
}

const pagesOf = (hits: readonly PageHit[]): number[] => hits.map(({ page }) => page);

/** What every vector store must do, whatever the engine. */
export function vectorsContract(name: string, open: () => Promise<VectorFixture>): void {
  describe(`vectors: ${name}`, () => {
    let fixture: VectorFixture;
    let store: VectorStore;
    beforeAll(async () => {
      fixture = await open();
      store = await fixture.connect();
    });
    afterAll(async () => fixture.dispose());

    const scope = (workspaceId: WorkspaceId, datasetIds?: readonly DatasetId[], limit = 10) => ({
      workspaceId,
      datasetIds,
      limit,
    });

    it("finds nothing in a space that nobody has written to", async () => {
      const empty = { ...dense, name: "unknown" };
      const datasetId = newDatasetId();
      expect(await store.searchDense(empty, axis(0), scope(newWorkspaceId()))).toEqual([]);
      expect(await store.searchLexical({ ...lexical, name: "unknown" }, "x", scope(newWorkspaceId()))).toEqual([]);
      expect(await store.vectorsOf(empty, datasetId, 1)).toEqual([]);
      await store.removeDataset(datasetId);
      await store.maintain();
    });

    it("ranks pages by their best vector, one hit each, and cuts at the limit", async () => {
      const workspaceId = newWorkspaceId();
      const datasetId = newDatasetId();
      const row = (page: number, ...vectors: Float32Array[]) => ({ workspaceId, datasetId, page, vectors });
      await store.putDense(dense, [
        row(1, axis(5), axis(6)),
        row(2, axis(9), axis(0, 0.1), axis(0, 0.2), axis(0, 0.3)),
        row(3, axis(0), axis(0)),
        row(4, axis(0, 0.5), axis(3)),
      ]);
      const hits = await store.searchDense(dense, axis(0), scope(workspaceId));
      expect(pagesOf(hits).slice(0, 3)).toEqual([3, 2, 4]);
      expect(new Set(pagesOf(hits)).size).toBe(4);
      expect(hits[0]?.score).toBeCloseTo(1, 5);
      expect(hits[1]?.score).toBeCloseTo(1 / Math.hypot(1, 0.1), 5);
      expect(hits[3]?.score).toBeCloseTo(0, 5);
      expect(pagesOf(await store.searchDense(dense, axis(0), scope(workspaceId, undefined, 2)))).toEqual([3, 2]);
      expect(await store.searchDense(dense, axis(0), scope(workspaceId, []))).toEqual([]);
      const opposite = axis(0).map((value) => -value);
      expect((await store.searchDense(dense, opposite, scope(workspaceId))).at(-1)?.score).toBeCloseTo(-1, 5);
    });

    it("fills the limit although one page has most of the nearest vectors", async () => {
      const workspaceId = newWorkspaceId();
      const datasetId = newDatasetId();
      const crowd = Array.from({ length: 60 }, (_, index) => axis(0, index / 1000));
      await store.putDense(dense, [
        { workspaceId, datasetId, page: 1, vectors: crowd },
        ...[2, 3, 4].map((page) => ({ workspaceId, datasetId, page, vectors: [axis(0, page)] })),
      ]);
      expect(pagesOf(await store.searchDense(dense, axis(0), scope(workspaceId, undefined, 3)))).toEqual([1, 2, 3]);
    });

    it("shows nothing of another workspace, even for its dataset's id", async () => {
      const [mine, theirs] = [newWorkspaceId(), newWorkspaceId()];
      const [myDataset, theirDataset] = [newDatasetId(), newDatasetId()];
      const put = async (workspaceId: WorkspaceId, datasetId: DatasetId) => {
        await store.putDense(dense, [{ workspaceId, datasetId, page: 1, vectors: [axis(2)] }]);
        await store.putLexical(lexical, [{ workspaceId, datasetId, page: 1, words: "shared walrus" }]);
      };
      await put(mine, myDataset);
      await put(theirs, theirDataset);
      const own = [{ datasetId: myDataset, page: 1 }];
      const both = [myDataset, theirDataset];
      expect(await store.searchDense(dense, axis(2), scope(mine))).toMatchObject(own);
      expect(await store.searchDense(dense, axis(2), scope(mine, both))).toMatchObject(own);
      expect(await store.searchDense(dense, axis(2), scope(mine, [theirDataset]))).toEqual([]);
      expect(await store.searchLexical(lexical, "walrus", scope(mine))).toMatchObject(own);
      expect(await store.searchLexical(lexical, "walrus", scope(mine, both))).toMatchObject(own);
      expect(await store.searchLexical(lexical, "walrus", scope(mine, [theirDataset]))).toEqual([]);
    });

    it("gives a page's vectors back in their order, bit by bit", async () => {
      const workspaceId = newWorkspaceId();
      const datasetId = newDatasetId();
      const vectors = Array.from({ length: 12 }, (_, index) => axis(index, index / 8));
      await store.putDense(dense, [{ workspaceId, datasetId, page: 3, vectors }]);
      expect(await store.vectorsOf(dense, datasetId, 3)).toEqual(vectors);
      expect(await store.vectorsOf(dense, datasetId, 4)).toEqual([]);
    });

    it("scores the pages it is given, exactly, and only those of the workspace", async () => {
      const [workspaceId, elsewhere] = [newWorkspaceId(), newWorkspaceId()];
      const [datasetId, foreign] = [newDatasetId(), newDatasetId()];
      const row = (page: number, ...vectors: Float32Array[]) => ({ workspaceId, datasetId, page, vectors });
      await store.putDense(dense, [row(1, axis(5), axis(0, 0.5)), row(2, axis(0)), row(3, axis(7))]);
      await store.putDense(dense, [{ workspaceId: elsewhere, datasetId: foreign, page: 1, vectors: [axis(0)] }]);
      const asked = [1, 3, 3, 4].map((page) => ({ datasetId, page }));
      const hits = await store.scorePages(dense, axis(0), [...asked, { datasetId: foreign, page: 1 }], workspaceId);
      const scores = new Map(hits.map(({ page, score }) => [page, score]));
      expect(new Set(scores.keys())).toEqual(new Set([1, 3]));
      expect(hits).toHaveLength(2);
      expect(scores.get(1)).toBeCloseTo(1 / Math.hypot(1, 0.5), 3);
      expect(scores.get(3)).toBeCloseTo(0, 3);
      expect(await store.scorePages(dense, axis(0), [], workspaceId)).toEqual([]);
      expect(await store.scorePages({ ...dense, name: "unknown" }, axis(0), asked, workspaceId)).toEqual([]);
    });

    it("finds what comparing every page with every vector finds, by the best vector and by all of them", async () => {
      const workspaceId = newWorkspaceId();
      const datasetId = newDatasetId();
      const library = createLibrary({ dimensions: 64, pages: 600, vectorsPerPage: 6 });
      const spaces: DenseSpace[] = [
        { ...dense, name: "best", dimensions: 64 },
        { ...dense, name: "best-pooled", dimensions: 64, firstPass: "pooled" },
        { ...dense, name: "max-sim", dimensions: 64, scoring: "max-sim", firstPass: "pooled" },
      ];
      const rows = library.pages.map(({ vectors, pooled }, at) => ({
        workspaceId,
        datasetId,
        page: at + 1,
        vectors,
        pooled,
      }));
      for (const space of spaces) {
        await store.putDense(space, rows);
        const count = space.scoring === "max-sim" ? 6 : 1;
        const recalls = Array.from({ length: 8 }, async () => {
          const query = library.query(count);
          const exact = library.nearest(query, 10);
          const hits = await store.searchDense(space, query, scope(workspaceId));
          expect(hits).toHaveLength(10);
          for (const { page, score } of hits) expect(score).toBeCloseTo(library.score(query, page), 2);
          return exact.filter((page) => pagesOf(hits).includes(page)).length / 10;
        });
        const recall = (await Promise.all(recalls)).reduce((sum, one) => sum + one, 0) / recalls.length;
        expect({ space: space.name, enough: recall >= 0.97 }).toEqual({ space: space.name, enough: true });
      }
    });

    it("refuses several vectors where a page counts by the best of its own", async () => {
      const query = [axis(0), axis(1)];
      await expect(store.searchDense(dense, query, scope(newWorkspaceId()))).rejects.toThrow(/asked with one/);
    });

    it("replaces a page that is written again, with more parts, with fewer, with none", async () => {
      const workspaceId = newWorkspaceId();
      const datasetId = newDatasetId();
      const put = (...vectors: Float32Array[]) =>
        store.putDense(dense, [
          { workspaceId, datasetId, page: 1, vectors },
          { workspaceId, datasetId, page: 2, vectors: [axis(8)] },
        ]);
      const first = async (vector: Float32Array) => (await store.searchDense(dense, vector, scope(workspaceId)))[0];
      await put(axis(0), axis(1));
      await put(axis(2), axis(3), axis(4), axis(5));
      expect(await store.vectorsOf(dense, datasetId, 1)).toEqual([axis(2), axis(3), axis(4), axis(5)]);
      await store.maintain();
      await put(axis(6));
      expect(await store.vectorsOf(dense, datasetId, 1)).toEqual([axis(6)]);
      expect((await first(axis(3)))?.score).toBeLessThan(0.5);
      expect((await first(axis(6)))?.page).toBe(1);
      await put();
      expect(await store.vectorsOf(dense, datasetId, 1)).toEqual([]);
      expect(pagesOf(await store.searchDense(dense, axis(6), scope(workspaceId)))).toEqual([2]);
    });

    it("ranks words, finds other forms of them, and takes the text as words only", async () => {
      const workspaceId = newWorkspaceId();
      const datasetId = newDatasetId();
      const row = (page: number, words: string) => ({ workspaceId, datasetId, page, words });
      await store.putLexical(lexical, [
        row(1, "Integrating ordinary differential equations numerically"),
        row(2, "Café prices, a naïve résumé AND other things"),
        row(3, "equation"),
        row(4, ""),
      ]);
      const find = async (text: string) => pagesOf(await store.searchLexical(lexical, text, scope(workspaceId)));
      const cases = async () => {
        expect(await find("numerical integration of an ordinary differential equation")).toEqual([1, 3]);
        expect(await find("cafe resume")).toEqual([2]);
        expect(await find('"differential equation"')).toEqual(expect.arrayContaining([1, 3]));
        expect(await find('words:(cafe* OR "')).toEqual([2]);
        expect(await find("-cafe +differential' OR '1'='1")).toEqual(expect.arrayContaining([1, 2]));
        expect(await find("zebra")).toEqual([]);
        expect(await find(" \n")).toEqual([]);
        expect(await find("?!")).toEqual([]);
      };
      await cases();
      await store.maintain();
      await cases();
      await store.putLexical(lexical, [row(5, "A zebra"), row(3, "no longer"), row(2, " ")]);
      expect(await find("zebra")).toEqual([5]);
      expect(await find("cafe")).toEqual([]);
      expect(await find("equation")).toEqual([1]);
      const [hit] = await store.searchLexical(lexical, "zebra", scope(workspaceId));
      expect(hit?.score).toBeGreaterThan(0);
    });

    it("finds words of scripts without spaces, other forms in other languages, and words with a slip", async () => {
      const workspaceId = newWorkspaceId();
      const datasetId = newDatasetId();
      const texts = [
        "本書ではデータベースの設定方法と起動手順を説明します。",
        "本文档介绍如何安装操作系统以及网络配置。",
        "คู่มือนี้อธิบายขั้นตอนการติดตั้งระบบปฏิบัติการ",
        "이 문서는 서버의 설치 방법을 설명합니다",
        "Die Kündigungsfristen für Mietverträge über möblierte Wohnungen betragen drei Monate.",
        "Les dépenses de voyage sont remboursées dès réception des justificatifs.",
        "Установка сервера и настройка сети описаны в этой главе.",
        "Numerical integration of stiff differential equations with the solver of the library",
        "The getElementById method returns the element; the invoice came to 1,234.50 dollars",
        "A page about walruses and what they have for dinner in the winter",
      ];
      await store.putLexical(
        lexical,
        texts.map((words, at) => ({ workspaceId, datasetId, page: at + 1, words })),
      );
      const first = async (text: string) => pagesOf(await store.searchLexical(lexical, text, scope(workspaceId)))[0];
      const questions = [
        ["データベースはどう設定しますか？", 1],
        ["怎样安装操作系统？", 2],
        ["วิธีติดตั้งระบบปฏิบัติการ", 3],
        ["서버를 설치하려면?", 4],
        ["Kündigungsfrist eines Mietvertrags", 5],
        ["remboursement d'une dépense", 6],
        ["как установить сервер", 7],
        ["how are diferential equations integrated", 8],
        ["intergation", 8],
        ["element by id", 9],
        ["1234.5", 9],
        ["wlaruses", 10],
      ] as const;
      for (const [text, page] of questions) expect({ text, page: await first(text) }).toEqual({ text, page });
      expect(await first("hippopotamus")).toBeUndefined();
      // What another workspace has is no reason to take a word for another.
      const other = newWorkspaceId();
      await store.putLexical(lexical, [{ workspaceId: other, datasetId: newDatasetId(), page: 1, words: "causal" }]);
      expect(pagesOf(await store.searchLexical(lexical, "casual", scope(other)))).toEqual([1]);
      await store.putLexical(lexical, [{ workspaceId, datasetId, page: 11, words: "casual" }]);
      expect(pagesOf(await store.searchLexical(lexical, "casual", scope(other)))).toEqual([1]);
    });

    it("is told at once what another connection has written", async () => {
      const workspaceId = newWorkspaceId();
      const datasetId = newDatasetId();
      const other = await fixture.connect();
      const space = { ...dense, name: "both" };
      expect(await other.searchDense(space, axis(1), scope(workspaceId))).toEqual([]);
      await store.putDense(space, [{ workspaceId, datasetId, page: 1, vectors: [axis(1)] }]);
      expect(pagesOf(await other.searchDense(space, axis(1), scope(workspaceId)))).toEqual([1]);
      await store.putDense(space, [{ workspaceId, datasetId, page: 2, vectors: [axis(1, 0.1)] }]);
      expect(pagesOf(await other.searchDense(space, axis(1), scope(workspaceId)))).toEqual([1, 2]);
      await other.removeDataset(datasetId);
      expect(await store.searchDense(space, axis(1), scope(workspaceId))).toEqual([]);
    });

    it("doubles no row when two connections write the same pages at the same time", async () => {
      const workspaceId = newWorkspaceId();
      const datasetId = newDatasetId();
      const space = { ...dense, name: "contested" };
      const pages = Array.from({ length: 20 }, (_, index) => index + 1);
      const rows = pages.map((page) => ({ workspaceId, datasetId, page, vectors: [axis(page), axis(page + 1)] }));
      const writers = [store, await fixture.connect()];
      await Promise.all(
        writers.map(async (writer) => {
          for (let round = 0; round < 4; round++) await writer.putDense(space, rows);
        }),
      );
      for (const page of pages) expect(await store.vectorsOf(space, datasetId, page)).toHaveLength(2);
    });

    it("forgets a dataset in every space and gives its disk back", async () => {
      const workspaceId = newWorkspaceId();
      const [gone, kept] = [newDatasetId(), newDatasetId()];
      const wide = { ...dense, name: "wide", dimensions: 512 };
      const pages = Array.from({ length: 500 }, (_, index) => index + 1);
      const vector = () => Float32Array.from({ length: 512 }, () => Math.random() - 0.5);
      await store.maintain();
      const before = await fixture.size();
      await store.putDense(
        wide,
        pages.map((page) => ({ workspaceId, datasetId: gone, page, vectors: [vector(), vector()] })),
      );
      await store.putLexical(lexical, [{ workspaceId, datasetId: gone, page: 1, words: "ephemeral" }]);
      await store.putDense(wide, [{ workspaceId, datasetId: kept, page: 1, vectors: [vector()] }]);
      expect(await fixture.size()).toBeGreaterThan(before + 1_000_000);
      await store.removeDataset(gone);
      expect(pagesOf(await store.searchDense(wide, vector(), scope(workspaceId)))).toEqual([1]);
      expect(await store.searchLexical(lexical, "ephemeral", scope(workspaceId))).toEqual([]);
      // The first pass writes what is left anew, the second removes what that has replaced.
      await store.maintain();
      await store.maintain();
      expect(await fixture.size()).toBeLessThan(before + 500_000);
      expect(pagesOf(await store.searchDense(wide, vector(), scope(workspaceId)))).toEqual([1]);
    });

    it("keeps packs apart, forgets a dataset in one of them, and a pack as a whole", async () => {
      const workspaceId = newWorkspaceId();
      const [one, other] = [newDatasetId(), newDatasetId()];
      const next = { dense: { ...dense, pack: "next@2.0.0" }, lexical: { ...lexical, pack: "next@2.0.0" } };
      for (const datasetId of [one, other]) {
        for (const space of [dense, next.dense]) {
          await store.putDense(space, [{ workspaceId, datasetId, page: 1, vectors: [axis(0)] }]);
        }
        await store.putLexical(next.lexical, [{ workspaceId, datasetId, page: 1, words: "pack" }]);
      }
      const reader = await fixture.connect();
      const datasetsIn = async (space: DenseSpace, without: readonly DatasetId[] = []) => {
        const hits = await reader.searchDense(space, axis(0), { ...scope(workspaceId), without });
        return hits.map(({ datasetId }) => datasetId).toSorted();
      };
      expect(await datasetsIn(next.dense)).toEqual([one, other].toSorted());
      expect(await datasetsIn(next.dense, [one])).toEqual([other]);
      expect(
        await reader.searchLexical(next.lexical, "pack", { ...scope(workspaceId), without: [one, other] }),
      ).toEqual([]);
      await store.removeDataset(one, dense.pack);
      expect(await datasetsIn(dense)).toEqual([other]);
      expect(await datasetsIn(next.dense)).toEqual([one, other].toSorted());

      expect(await store.packs()).toEqual(expect.arrayContaining([dense.pack, next.dense.pack]));
      await store.removePack(next.dense.pack);
      expect(await store.packs()).not.toContain(next.dense.pack);
      expect(await datasetsIn(dense)).toEqual([other]);
      // A pack may come back, to those as well who knew its tables.
      await store.putDense(next.dense, [{ workspaceId, datasetId: one, page: 1, vectors: [axis(0)] }]);
      expect(await datasetsIn(next.dense)).toEqual([one]);
    });

    it("serves reads and writes while it is maintained", async () => {
      const workspaceId = newWorkspaceId();
      const datasetId = newDatasetId();
      const reader = await fixture.connect();
      const writing = async () => {
        for (let page = 1; page <= 40; page++) {
          await store.putDense(dense, [{ workspaceId, datasetId, page, vectors: [axis(page)] }]);
        }
      };
      const reading = async () => {
        for (let round = 0; round < 60; round++) await reader.searchDense(dense, axis(0), scope(workspaceId));
      };
      const maintaining = async () => {
        for (let round = 0; round < 5; round++) await store.maintain();
      };
      await Promise.all([writing(), reading(), maintaining()]);
      expect(await reader.searchDense(dense, axis(0), scope(workspaceId, undefined, 100))).toHaveLength(40);
    });

    it("answers many at once, also while it is maintained", async () => {
      const workspaceId = newWorkspaceId();
      const row = { workspaceId, datasetId: newDatasetId(), page: 1 };
      await store.putDense(dense, [{ ...row, vectors: [axis(0)] }]);
      await store.putLexical(lexical, [{ ...row, words: "numerical integration of equations" }]);
      const ask = async (text: string) => {
        const [words, vectors] = await Promise.all([
          store.searchLexical(lexical, text, scope(workspaceId)),
          store.searchDense(dense, axis(0), scope(workspaceId)),
        ]);
        expect([pagesOf(words), pagesOf(vectors)]).toEqual([[1], [1]]);
      };
      const texts = ["integration of equations", "intergation", "numerical equatoins", "integration"];
      await Promise.all([
        ...Array.from({ length: 40 }, (_, at) => ask(texts[at % texts.length] ?? "")),
        store.maintain(),
      ]);
    });

    it("refuses vectors of another length and ids that are none", async () => {
      const row = { workspaceId: newWorkspaceId(), datasetId: newDatasetId(), page: 1 };
      await expect(store.putDense(dense, [{ ...row, vectors: [new Float32Array(3)] }])).rejects.toThrow(/dimensions/);
      const forged: string = `${row.workspaceId}' OR '1'='1`;
      const asId = (text: string): text is WorkspaceId => text === forged;
      if (!asId(forged)) throw new Error("unreachable");
      await expect(store.searchDense(dense, axis(0), scope(forged))).rejects.toThrow(TypeError);
    });

    it("answers a ping", async () => {
      await expect(store.ping()).resolves.toBeUndefined();
    });
  });
}
