import { describe, expect, it } from "vitest";
import { newDatasetId, newWorkspaceId } from "../../server/domain/ids.ts";
import type { WordConditions } from "../../server/domain/ports/vectors.ts";
import { lexical, pagesOf, scope, type OpenVectorFixture, useVectors } from "./testing/vectors.ts";

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
          const words = { phrases: [], without: [], ...conditions };
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
      };
      await cases();
      await db.store.maintain();
      await cases();
      expect(await db.store.meeting(lexical, { phrases: ["harbour"], without: [] }, pages, newWorkspaceId())).toEqual(
        [],
      );
      const space = { ...lexical, name: "unknown" };
      expect(await db.store.meeting(space, { phrases: ["x"], without: [] }, pages, workspaceId)).toEqual([]);
      expect(await db.store.meeting(space, { phrases: [], without: ["x"] }, pages, workspaceId)).toHaveLength(6);
      expect(await db.store.meeting(lexical, { phrases: [], without: ["x"] }, [], workspaceId)).toEqual([]);
    });
  });
}
