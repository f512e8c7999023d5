import { describe, expect, it } from "vitest";
import { type DatasetId, newDatasetId, newWorkspaceId } from "../../server/domain/ids.ts";
import type { SearchScope, WordConditions } from "../../server/domain/ports/vectors.ts";
import { lexical, pagesOf, scope, type OpenVectorFixture, useVectors } from "./testing/vectors.ts";

const none: WordConditions = { phrases: [], without: [], withoutPhrases: [] };

/** Phrases that pages must have, and words that they must not have. */
export function wordConditionsContract(open: OpenVectorFixture): void {
  describe("pages by conditions", () => {
    const db = useVectors(open);

    it("have phrases in order and lack words that are left out, indexed and not yet", async () => {
      const workspaceId = newWorkspaceId();
      const datasetId = newDatasetId();
      const texts = [
        "The harbour master keeps the ledger of the harbour",
        "A master of the harbour keeps a ledger",
        "Harbour masters and their ledgers",
        "The Café-Bar of the TraceMonkey team, certified by ISO 9001 in 1,234.50 steps",
        "本書ではデータベースの設定方法と起動手順を説明します。",
        "",
      ];
      const pages = texts.map((words, at) => ({ workspaceId, datasetId, generation: "", page: at + 1, words }));
      await db.store.putLexical(lexical, pages);
      const cases = async (): Promise<void> => {
        const check = async (text: string, conditions: Partial<WordConditions>, expected: readonly number[]) => {
          const words = { ...none, ...conditions };
          const hits = await db.store.searchLexical(lexical, text, { ...scope(workspaceId), words });
          expect({ text, pages: pagesOf(hits).toSorted((one, other) => one - other) }).toEqual({
            text,
            pages: expected,
          });
          const met = await db.store.meeting(lexical, words, pages, workspaceId);
          const without = conditions.phrases === undefined ? [6] : [];
          expect(met.map(({ page }) => page)).toEqual(expect.arrayContaining([...expected, ...without]));
          if (conditions.phrases !== undefined) expect(met.map(({ page }) => page)).toEqual(expected);
        };
        await check("harbour master ledger", {}, [1, 2, 3]);
        await check("harbour master", { phrases: ["harbour master"] }, [1]);
        await check("of the harbour", { phrases: ["OF  THE harbour"] }, [1, 2]);
        await check("master ledger", { phrases: ["master"], without: ["keep"] }, []);
        await check("master ledger", { without: ["keeping"] }, [3]);
        await check("master ledger", { without: ["the"] }, [1, 2, 3]);
        await check("harbour", { without: ["harbour"] }, []);
        await check("cafe bar", { phrases: ["cafe bar of the tracemonkey team"] }, [4]);
        await check("ISO-9001", { phrases: ["ISO-9001 in 1234.5"] }, [4]);
        await check("設定方法", { phrases: ["データベースの設定方法"] }, [5]);
        await check("設定方法", { phrases: ["方法設定"] }, []);
        await check("harbour", { phrases: ["harbour zebra"] }, []);
        await check("harbour master", { withoutPhrases: ["harbour master"] }, [2, 3]);
        await check("harbour master", { withoutPhrases: ["harbours"] }, [1, 2, 3]);
        await check("harbour master", { withoutPhrases: ["harbour of the", "the ledger"] }, [2, 3]);
        await check("harbour master", { withoutPhrases: ["of the harbour"], without: ["keep"] }, [3]);
        await check("ledger", { phrases: ["ledger"], withoutPhrases: ["Harbour  Master"] }, [2]);
        await check("設定方法", { withoutPhrases: ["方法設定"] }, [5]);
        await check("設定方法", { withoutPhrases: ["の設定方法"] }, []);
      };
      await cases();
      await db.store.maintain();
      await cases();
      expect(await db.store.meeting(lexical, { ...none, phrases: ["harbour"] }, pages, newWorkspaceId())).toEqual([]);
      const space = { ...lexical, name: "unknown" };
      expect(await db.store.meeting(space, { ...none, phrases: ["x"] }, pages, workspaceId)).toEqual([]);
      expect(await db.store.meeting(space, { ...none, without: ["x"] }, pages, workspaceId)).toHaveLength(6);
      expect(await db.store.meeting(lexical, { ...none, without: ["x"] }, [], workspaceId)).toEqual([]);
    });

    it("finds phrases however they stand on pages", async () => {
      const [workspaceId, datasetId] = [newWorkspaceId(), newDatasetId()];
      const texts = [
        "To be, or not to be: that is the question of the play",
        "The harbour master of the\nold harbour keeps his long-\nstanding ledger at the pier",
        "Résumé of a naïve façade, with a well-known e-mail address",
        "The sum was 1,234.50 dollars in 2,019 and 12.5 per cent of it in 2,020",
        "データベースの設定方法と起動手順。設定を変更する方法",
        "安装操作系统以及网络配置",
        "이 문서는 서버의 설치 방법을 설명합니다",
        "calibrating the barometer and the barometer's scale",
        "The pier of the harbour at the end of the ledger",
      ];
      const pages = texts.map((words, at) => ({ workspaceId, datasetId, generation: "", page: at + 1, words }));
      await db.store.putLexical(lexical, pages);
      const cases = async (): Promise<void> => {
        for (const [text, words, expected] of [
          ["play", { phrases: ["or not to be: that is the question"] }, [1]],
          ["play", { phrases: ["question of the play"] }, [1]],
          ["play", { phrases: ["play to be"] }, []],
          ["pier", { phrases: ["at the pier"] }, [2]],
          ["harbour", { phrases: ["of the old harbour"] }, [2]],
          ["ledger", { phrases: ["his long-standing ledger"] }, [2]],
          ["ledger", { phrases: ["long standing ledger", "the pier"] }, [2]],
          ["address", { phrases: ["resume of a naive facade"] }, [3]],
          ["address", { phrases: ["Well Known E-Mail"] }, [3]],
          ["dollars", { phrases: ["1,234.5 dollars"] }, [4]],
          ["dollars", { phrases: ["2019 and 12.50 per cent"] }, [4]],
          ["dollars", { phrases: ["1,234.6 dollars"] }, []],
          ["設定", { phrases: ["設定方法"] }, [5]],
          ["設定", { phrases: ["方法設定"] }, []],
          ["系统", { phrases: ["操作系统"] }, [6]],
          ["系统", { phrases: ["系统操作"] }, []],
          ["서버", { phrases: ["설치 방법을"] }, [7]],
          // A slip is looked for as it is where it is in quotation marks.
          ["barometer", { phrases: ["the baromter"] }, []],
          ["baromter", { phrases: ["the barometer"] }, [8]],
          ["barometer", { phrases: ["the barometer scale"] }, [8]],
          ["harbour", { phrases: ["the harbour"], without: ["masters"] }, [9]],
          ["harbour", { phrases: ["of the"], without: ["pier"] }, []],
          ["harbour", { phrases: ["the pier"], without: ["old", "play"] }, [9]],
          ["harbour", { phrases: ["the pier"], withoutPhrases: ["the new harbour", "his ledger"] }, [9, 2]],
          ["harbour", { withoutPhrases: ["the old  harbour", "his long-standing ledger"] }, [9]],
        ] as const) {
          const asked: WordConditions = { ...none, ...words };
          const hits = await db.store.searchLexical(lexical, text, { ...scope(workspaceId), words: asked });
          expect({ words, pages: pagesOf(hits) }).toEqual({ words, pages: expected });
          const met = await db.store.meeting(lexical, asked, pages, workspaceId);
          expect(met.map(({ page }) => page)).toEqual(expect.arrayContaining([...expected]));
        }
      };
      await cases();
      await db.store.maintain();
      await cases();
    });

    it("ranks pages with a phrase that very many have, in the datasets that are asked for and those that pass", async () => {
      const [workspaceId, many, few] = [newWorkspaceId(), newDatasetId(), newDatasetId()];
      const row = { workspaceId, generation: "" };
      const long = Array.from({ length: 40 }, (_, at) => `clause k${at}`).join(" ");
      const filler = (at: number): string => `section k${at} `.repeat(1 + (at % 5));
      await db.store.putLexical(
        lexical,
        Array.from({ length: 3_000 }, (_, at) => {
          const words = at % 3 === 0 ? "of conditions and terms" : "terms and conditions";
          return { ...row, datasetId: many, page: at + 1, words: `${filler(at)} The ${words} of use` };
        }),
      );
      await db.store.putLexical(lexical, [
        { ...row, datasetId: few, page: 1, words: `Terms and conditions of one ${long}` },
        { ...row, datasetId: few, page: 2, words: `Conditions and terms of one ${long}` },
        { ...row, datasetId: few, page: 3, words: "Terms and conditions of another lease" },
      ]);
      await db.store.maintain();
      const words = { ...none, phrases: ["terms and conditions"], without: ["leases"] };
      const find = async (within: Partial<SearchScope>, best?: DatasetId): Promise<string[]> => {
        const also = best && Promise.resolve({ datasetIds: [best], limit: 5 });
        const asked = { ...scope(workspaceId), words, ...within };
        const hits = await db.store.searchLexical(lexical, "terms and conditions", asked, also);
        return hits.map(({ datasetId, page }) => `${datasetId === few ? "few" : "many"} ${page}`);
      };
      const first = await find({});
      expect(first).toHaveLength(10);
      for (const page of first) expect(page).toMatch(/^many/);
      for (const page of first) expect((Number(page.slice(5)) - 1) % 3).not.toBe(0);
      expect(await find({ limit: 400 })).toHaveLength(400);
      expect(await find({ datasetIds: [few] })).toEqual(["few 1"]);
      expect(await find({ pass: async (ids) => new Set([few].filter((id) => ids.has(id))) })).toEqual(["few 1"]);
      expect(await find({ without: [many] })).toEqual(["few 1"]);
      expect(new Set(await find({}, few))).toEqual(new Set([...first, "few 1"]));
    });
  });
}
