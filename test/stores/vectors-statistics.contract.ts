import { describe, expect, it } from "vitest";
import { type DatasetId, newDatasetId, newWorkspaceId } from "../../server/domain/ids.ts";
import {
  documentRows,
  type LexicalSpace,
  type Pass,
  type SearchScope,
  type WordConditions,
} from "../../server/domain/ports/vectors.ts";
import { bm25 } from "./testing/bm25.ts";
import { dense, lexical, pagesOf, type OpenVectorFixture, useVectors } from "./testing/vectors.ts";

const documents: LexicalSpace = { ...lexical, name: "documents", unit: "document" };
const none: WordConditions = { phrases: [], without: [], withoutPhrases: [] };

/** Searches whose statistics are of their scope alone. */
export function statisticsContract(open: OpenVectorFixture): void {
  describe("statistics of a scope", () => {
    const db = useVectors(open);

    const texts = [
      "The walrus keeps lanterns in the harbour.",
      "The harbour has ropes, and the ropes have knots.",
      "Knots of a lantern maker are no business of a walrus.",
      "Nothing but an invoice for coal, and the harbour master of the harbour signs it.",
      "Der Dampf des Kessels treibt das Schiff",
    ];
    /** With slips, a compound and an identifier whose words the visible pages have; and with words that only hidden ones have. */
    const questions = [
      "walrus lanterns",
      "harbour ropes",
      "lanterm",
      "walrsu",
      "lantens",
      "Dampfschiff",
      "harbourMaster",
    ];
    const hiddenTexts = [
      "walrus walrus walrus",
      "lanterns and ropes and lanterm and walrsu",
      "Dampfschiff lantens harbourMaster harbour master invoice",
      `${"coal ".repeat(500)} of the harbour`,
    ];

    const rowsOf = (workspaceId: SearchScope["workspaceId"], ids: readonly DatasetId[], of: readonly string[]) =>
      of.map((words, at) => {
        return { workspaceId, datasetId: ids[at % ids.length] ?? newDatasetId(), generation: "", page: at + 1, words };
      });

    it(
      "depend on no other page of the workspace, whatever was asked before by others",
      { timeout: 120_000 },
      async () => {
        const workspaceId = newWorkspaceId();
        const [visible, hidden] = [
          [newDatasetId(), newDatasetId()],
          [newDatasetId(), newDatasetId()],
        ];
        const pass: Pass = async (ids) => ids.intersection(new Set(visible));
        const vector = (at: number) =>
          Float32Array.from({ length: dense.dimensions }, (_, axis) => Math.sin(at + axis));
        const coded = { ...dense, name: "coded", firstPass: "first" } as const;
        const put = async (ids: readonly DatasetId[], of: readonly string[]): Promise<void> => {
          const rows = rowsOf(workspaceId, ids, of);
          await db.store.putLexical(lexical, rows);
          const said = rows.map((row) => ({ ...row, page: documentRows.name }));
          await db.store.putLexical(documents, [
            ...new Map(said.map((row) => [row.datasetId, { ...row, page: documentRows.name }])).values(),
          ]);
          await db.store.putDense(
            coded,
            rows.map((row, at) => ({ ...row, vectors: [vector(at), vector(2 * at)] })),
          );
        };
        const many = Array.from({ length: 150 }, (_, at) => `page ${at} of a ledger`);
        await put(visible, [...texts, ...many]);

        const ask = async (restriction: Pick<SearchScope, "datasetIds" | "pass">) => {
          const scope: SearchScope = { workspaceId, ...restriction, statistics: "scope", limit: 10 };
          const answers = [];
          for (const question of questions) {
            answers.push(
              question,
              await db.store.searchLexical(lexical, question, scope),
              await db.store.searchLexical(documents, question, scope),
              await db.store.searchLexical(
                lexical,
                question,
                scope,
                Promise.resolve({ datasetIds: visible, limit: 3 }),
              ),
              await db.store.hasWord(lexical, question, scope),
            );
          }
          for (const words of [
            { phrases: ["harbour master"] },
            { without: ["walrus"] },
            { withoutPhrases: ["the harbour"] },
          ]) {
            answers.push(
              await db.store.searchLexical(lexical, "harbour knots", { ...scope, words: { ...none, ...words } }),
            );
          }
          if (restriction.pass === undefined)
            answers.push(await db.store.searchDense(coded, vector(0.5), { ...scope, limit: 100 }));
          return answers;
        };
        const scopes = [{ datasetIds: visible }, { datasetIds: undefined, pass }];
        const alone = [];
        for (const scope of scopes) alone.push(await ask(scope));
        expect(alone[0]?.filter((answer) => Array.isArray(answer) && answer.length > 0).length).toBeGreaterThan(12);
        expect(alone[0]).toContain(false);

        await put(
          hidden,
          Array.from({ length: 400 }, (_, at) => `${hiddenTexts[at % hiddenTexts.length] ?? ""} ${at}`),
        );
        // Others ask for all of it, which is remembered.
        for (const question of questions) {
          await db.store.searchLexical(lexical, question, { workspaceId, datasetIds: undefined, limit: 10 });
          expect(
            await db.store.hasWord(lexical, question.split(" ")[0] ?? "", { workspaceId, datasetIds: undefined }),
          ).toBe(true);
        }
        for (const [at, scope] of scopes.entries()) expect(await ask(scope)).toEqual(alone[at]);
        await db.store.maintain();
        for (const [at, scope] of scopes.entries()) expect(await ask(scope)).toEqual(alone[at]);
      },
    );

    it("rank as BM25 of its pages does, and a word that few of them have counts more", async () => {
      const workspaceId = newWorkspaceId();
      const [visible, hidden] = [newDatasetId(), newDatasetId()];
      // Of the length that is usual, by which a store may go instead of the mean.
      const seen = Array.from({ length: 40 }, (_, at) => {
        const words = ["bqb", ...(at % 4 === 0 ? ["dqd", "dqd"] : []), ...(at === 8 ? ["fqf"] : [])];
        return [...words, ...Array.from({ length: 400 - words.length }, () => "gqg")].join(" ");
      });
      // Among all pages the rare word is the frequent one.
      const unseen = Array.from({ length: 100 }, () => "fqf fqf kqk");
      await db.store.putLexical(lexical, [
        ...rowsOf(workspaceId, [visible], seen),
        ...rowsOf(workspaceId, [hidden], unseen),
      ]);
      const scope: SearchScope = { workspaceId, datasetIds: [visible], statistics: "scope", limit: 100 };
      for (const question of ["bqb dqd fqf", "bqb", "fqf bqb"]) {
        const hits = await db.store.searchLexical(lexical, question, scope);
        expect(hits).toHaveLength(40);
        const expected = bm25(seen, question.split(" "));
        const factor = (hits[0]?.score ?? 0) / Math.max(...expected);
        for (const { page, score } of hits) expect(score).toBeCloseTo(factor * (expected[page - 1] ?? 0), 6);
      }
      expect(pagesOf(await db.store.searchLexical(lexical, "bqb fqf", scope))[0]).toBe(9);
      const [rare] = await db.store.searchLexical(lexical, "fqf", scope);
      const [frequent] = await db.store.searchLexical(lexical, "bqb", scope);
      expect(rare?.score).toBeGreaterThan(10 * (frequent?.score ?? Infinity));
    });

    it(
      "weigh words also where more pages have them than are looked at, and questions of many words",
      { timeout: 120_000 },
      async () => {
        const workspaceId = newWorkspaceId();
        const [visible, hidden] = [newDatasetId(), newDatasetId()];
        const seen = Array.from(
          { length: 1_500 },
          (_, at) => `bqb ${at % 2 === 0 ? "dqd" : ""} ${at === 1_234 ? "fqf" : ""} w${at}x`,
        );
        await db.store.putLexical(lexical, [
          ...rowsOf(workspaceId, [visible], seen),
          ...rowsOf(
            workspaceId,
            [hidden],
            Array.from({ length: 50 }, () => "fqf"),
          ),
        ]);
        const pass: Pass = async (ids) => ids.intersection(new Set([visible]));
        for (const restriction of [{ datasetIds: [visible] }, { datasetIds: undefined, pass }]) {
          const scope: SearchScope = { workspaceId, ...restriction, statistics: "scope", limit: 5 };
          const first = async (text: string) => pagesOf(await db.store.searchLexical(lexical, text, scope))[0];
          expect(await first("bqb dqd fqf")).toBe(1_235);
          expect(await first("bqb w700x")).toBe(701);
          const others = Array.from({ length: 200 }, (_, at) => `v${at}x`).join(" ");
          expect(await first(`bqb dqd ${others} fqf w1234x`)).toBe(1_235);
        }
      },
    );
  });
}
