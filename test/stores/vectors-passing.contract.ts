import { describe, expect, it } from "vitest";
import { createRandom } from "../../bench/measuring/random.ts";
import { type DatasetId, newDatasetId, newWorkspaceId } from "../../server/domain/ids.ts";
import { type DenseSpace, type PageHit, type Pass, rowKey } from "../../server/domain/ports/vectors.ts";
import { dense, lexical, type OpenVectorFixture, useVectors } from "./testing/vectors.ts";

/** Searches in the datasets that pass a filter, which are too many to be named. */
export function passingContract(open: OpenVectorFixture): void {
  describe("pages of datasets that pass", () => {
    const db = useVectors(open);
    const random = createRandom(5);

    /** Like a filter that is looked up: answers only for the requested datasets. */
    const passOf =
      (passing: ReadonlySet<DatasetId>): Pass =>
      async (ids) =>
        ids.intersection(passing);

    it("are the best of all pages, but those of other datasets", { timeout: 120_000 }, async () => {
      const workspaceId = newWorkspaceId();
      const spaces: DenseSpace[] = [
        dense,
        { ...dense, name: "coded", firstPass: "first" },
        { ...dense, name: "pooled", scoring: "max-sim", firstPass: "pooled" },
      ];
      const vector = (): Float32Array => Float32Array.from({ length: dense.dimensions }, () => random() - 0.5);
      const words = (): string =>
        Array.from({ length: 4 + random() * 30 }, () => `w${Math.floor(random() * random() * 40)}x`).join(" ");
      const datasets = Array.from({ length: 20 }, newDatasetId);
      const rows = datasets.flatMap((datasetId, at) =>
        Array.from({ length: 35 }, (_, page) => ({
          workspaceId,
          datasetId,
          generation: at % 5 === 0 ? "g2" : "",
          page: page + 1,
        })),
      );
      await db.store.putLexical(
        lexical,
        rows.map((row) => ({ ...row, words: words() })),
      );
      // Scores of rows that are not in the index yet depend on how they are asked for.
      await db.store.maintain();
      for (const space of spaces) {
        await db.store.putDense(
          space,
          rows.map((row) => ({ ...row, vectors: [vector()] })),
        );
      }
      const everywhere = { workspaceId, datasetIds: undefined };
      const check = async (limit: number, passing: ReadonlySet<DatasetId>): Promise<void> => {
        const scope = { ...everywhere, limit, pass: passOf(passing) };
        const restricted = (all: readonly PageHit[]) => all.filter(({ datasetId }) => passing.has(datasetId));
        const asked = "w1x w5x w17x";
        const inAll = restricted(await db.store.searchLexical(lexical, asked, { ...everywhere, limit: 700 }));
        expect(await db.store.searchLexical(lexical, asked, scope)).toEqual(inAll.slice(0, limit));
        const best = inAll.slice(3, 5).map(({ datasetId }) => datasetId);
        const also = Promise.resolve({ datasetIds: best, limit: 2 });
        const bestOf = inAll.filter(({ datasetId }) => best.includes(datasetId)).slice(0, 2);
        expect(await db.store.searchLexical(lexical, asked, scope, also)).toEqual(
          inAll.filter((hit, rank) => rank < limit || bestOf.includes(hit)),
        );
        for (const space of spaces) {
          const question = vector();
          const all = restricted(await db.store.searchDense(space, question, { ...everywhere, limit: 700 }));
          expect(all.length).toBe(35 * passing.size);
          const found = await db.store.searchDense(space, question, scope);
          expectSame(found, all.slice(0, limit));
          const others = all.slice(-2);
          const withOthers = await db.store.searchDense(space, question, scope, Promise.resolve(others));
          expectSame(
            withOthers,
            all.filter((hit, rank) => rank < limit || others.includes(hit)),
          );
        }
      };
      for (const share of [0.5, 0.1, 0.02]) {
        const passing = new Set(datasets.filter((_, at) => at === 17 || random() < share));
        await check(12, passing);
        await check(1, passing);
      }
      await check(5, new Set());
      await db.store.maintain();
      await check(12, new Set(datasets.filter((_, at) => at % 4 === 0)));
    });

    it("have a phrase, however many others have its words", { timeout: 60_000 }, async () => {
      const workspaceId = newWorkspaceId();
      const page = (words: string) => ({ workspaceId, datasetId: newDatasetId(), generation: "", page: 1, words });
      const wanted = page("The harbour master keeps the ledger of all ships that come and go by day and by night");
      const other = page("master harbour");
      const others = Array.from({ length: 1_100 }, (_, at) => ({ ...other, page: at + 1 }));
      await db.store.putLexical(lexical, [...others, wanted]);
      const words = { phrases: ["harbour master"], without: [], withoutPhrases: [] };
      const pass = passOf(new Set([wanted.datasetId]));
      const found = async (scope: { pass?: Pass; datasetIds: readonly DatasetId[] | undefined }) =>
        (await db.store.searchLexical(lexical, "harbour master", { workspaceId, limit: 10, words, ...scope })).map(
          ({ datasetId }) => datasetId,
        );
      expect(await found({ pass, datasetIds: undefined })).toEqual([wanted.datasetId]);
      // As where the datasets are named.
      expect(await found({ datasetIds: [wanted.datasetId] })).toEqual([wanted.datasetId]);
    });
  });
}

/** The same pages with the same scores, but for what another way to calculate rounds. */
function expectSame(found: readonly PageHit[], wanted: readonly PageHit[]): void {
  const named = (hits: readonly PageHit[]) => hits.map(rowKey);
  expect(named(found)).toEqual(named(wanted));
  for (const [at, { score }] of found.entries()) expect(score).toBeCloseTo(wanted[at]?.score ?? Number.NaN, 3);
}
