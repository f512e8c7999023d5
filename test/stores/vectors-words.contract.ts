import { describe, expect, it } from "vitest";
import { newDatasetId, newWorkspaceId } from "../../server/domain/ids.ts";
import { lexical, pagesOf, scope, type OpenVectorFixture, useVectors } from "./testing/vectors.ts";

/** How pages are ranked by their words. */
export function wordRankingContract(open: OpenVectorFixture): void {
  describe("pages by words", () => {
    const db = useVectors(open);

    it("ranks words, finds other forms of them, and takes the text as words only", async () => {
      const workspaceId = newWorkspaceId();
      const datasetId = newDatasetId();
      const row = (page: number, words: string) => ({ workspaceId, datasetId, generation: "", page, words });
      await db.store.putLexical(lexical, [
        row(1, "Integrating ordinary differential equations numerically"),
        row(2, "Café prices, a naïve résumé AND other things"),
        row(3, "equation"),
        row(4, ""),
      ]);
      const find = async (text: string) => pagesOf(await db.store.searchLexical(lexical, text, scope(workspaceId)));
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
      await db.store.maintain();
      await cases();
      await db.store.putLexical(lexical, [row(5, "A zebra"), row(3, "no longer"), row(2, " ")]);
      expect(await find("zebra")).toEqual([5]);
      expect(await find("cafe")).toEqual([]);
      expect(await find("equation")).toEqual([1]);
      const [hit] = await db.store.searchLexical(lexical, "zebra", scope(workspaceId));
      expect(hit?.score).toBeGreaterThan(0);
    });

    it("finds a compound that no page has by the words that it is put together of, those of the workspace alone", async () => {
      const [workspaceId, datasetId, other] = [newWorkspaceId(), newDatasetId(), newWorkspaceId()];
      const row = { workspaceId, datasetId, generation: "" };
      await db.store.putLexical(lexical, [
        { ...row, page: 1, words: "Der Dampf des Kessels treibt das Schiff" },
        { ...row, page: 2, words: "Vom Anspruch des Erben auf den Nachlass" },
        { ...row, page: 3, words: "the keeper of the lighthouse" },
        { workspaceId: other, datasetId: newDatasetId(), generation: "", page: 1, words: "Fahrt" },
      ]);
      const found = async (text: string) => pagesOf(await db.store.searchLexical(lexical, text, scope(workspaceId)));
      expect(await found("Dampfschiff")).toEqual([1]);
      expect(await found("Erbensanspruch")).toEqual([2]);
      expect(await found("lighthousekeeper")).toEqual([3]);
      expect(await found("Dampfschifffahrt")).toEqual([]);
      await db.store.putLexical(lexical, [{ ...row, page: 4, words: "Dampfschiff" }]);
      expect(await found("Dampfschiff")).toEqual([4]);
    });

    it("finds compounds by their first and last parts, after pages with the part as a word", async () => {
      const [workspaceId, datasetId] = [newWorkspaceId(), newDatasetId()];
      const texts = [
        "Das Dampfschiff überquerte den See, und die Fahrgäste waren zufrieden mit der Reise",
        "Die Haftpflichtversicherung gilt für alle Güterwagen, die auf der Strecke stehen",
        "Das Schiff überquerte den See, und die Fahrgäste waren zufrieden mit der Reise",
        "Der Bericht über das Jahr ist für alle, die ihn lesen wollen, in der Bücherei",
      ];
      await db.store.putLexical(
        lexical,
        texts.map((words, at) => ({ workspaceId, datasetId, generation: "", page: at + 1, words })),
      );
      const cases = async (): Promise<void> => {
        const found = async (text: string) => pagesOf(await db.store.searchLexical(lexical, text, scope(workspaceId)));
        expect(await found("Schiff")).toEqual([3, 1]);
        expect(await found("Dampf")).toEqual([1]);
        expect(await found("die Versicherungen der Wagen")).toEqual([2]);
      };
      await cases();
      await db.store.maintain();
      await cases();
    });

    it("finds what a question without spaces is about, however it is asked", async () => {
      const [workspaceId, datasetId] = [newWorkspaceId(), newDatasetId()];
      const texts = [
        "ポンプの交換",
        "どうすればいいですか、それについて詳しく教えてください。やり方はどこに書いてありますか。",
        "펌프 교체",
        "방법은 무엇입니까, 어떻게 해야 합니까, 알려 주세요",
        "水泵更换",
        "为什么，如何，怎么，请问",
      ];
      await db.store.putLexical(
        lexical,
        texts.map((words, at) => ({ workspaceId, datasetId, generation: "", page: at + 1, words })),
      );
      const first = async (text: string) =>
        pagesOf(await db.store.searchLexical(lexical, text, scope(workspaceId))).slice(0, 1);
      for (const ending of [
        "",
        "はどうすればいいですか？",
        "について詳しく教えてください。",
        "のやり方はどこに書いてありますか",
      ]) {
        expect(await first(`ポンプの交換${ending}`)).toEqual([1]);
      }
      expect(await first("펌프를 교체하려면 어떻게 해야 합니까?")).toEqual([3]);
      expect(await first("请问如何更换水泵？为什么")).toEqual([5]);
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
      await db.store.putLexical(
        lexical,
        texts.map((words, at) => ({ workspaceId, datasetId, generation: "", page: at + 1, words })),
      );
      const first = async (text: string) => pagesOf(await db.store.searchLexical(lexical, text, scope(workspaceId)))[0];
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
      await db.store.putLexical(lexical, [
        { workspaceId: other, datasetId: newDatasetId(), generation: "", page: 1, words: "causal" },
      ]);
      expect(pagesOf(await db.store.searchLexical(lexical, "casual", scope(other)))).toEqual([1]);
      await db.store.putLexical(lexical, [{ workspaceId, datasetId, generation: "", page: 11, words: "casual" }]);
      expect(pagesOf(await db.store.searchLexical(lexical, "casual", scope(other)))).toEqual([1]);
    });
  });
}
