import { describe, expect, test } from "vitest";
import { newDatasetId } from "../../domain/ids.ts";
import { meetingByText } from "./text-conditions.ts";

const texts = [
  "The harbour master keeps a ledger of all vessels.",
  "A master mason built the walls of the Harbour’s quay.",
  "",
  "Décisions du conseil, séance d’été",
  "東京港の台帳",
];
const [datasetId, other] = [newDatasetId(), newDatasetId()];
const stored = {
  words: async (id: string) => new Map(id === datasetId ? texts.map((text, at) => [at + 1, text]) : []),
};
const hits = [...texts.keys()].map((at) => ({ datasetId, page: at + 1, generation: "", score: 1 - at / 10 }));

const pagesMeeting = async (phrases: readonly string[], without: readonly string[], withoutPhrases: string[] = []) =>
  (await meetingByText(stored, { phrases, without, withoutPhrases }, hits)).map(({ page }) => page);

describe("conditions on words, by the text layers of pages", () => {
  test.each([
    ["vessel", [2, 3, 4, 5]],
    ["Vessels", [2, 3, 4, 5]],
    ["harbour", [3, 4, 5]],
    ["decision", [1, 2, 3, 5]],
    ["ves", [1, 2, 3, 4, 5]],
    ["台帳", [1, 2, 3, 4]],
  ])("%s is left out", async (word, pages) => expect(await pagesMeeting([], [word])).toEqual(pages));

  test.each([
    ["harbour master", [1]],
    ["MASTER MASON", [2]],
    ["master harbour", []],
    ["arbour master", []],
    ["seance d'ete", [4]],
    ["台帳", [5]],
    ["東京 台帳", []],
  ])("the phrase %s has to be there", async (phrase, pages) => expect(await pagesMeeting([phrase], [])).toEqual(pages));

  test.each([
    ["master harbour", [1, 2, 3, 4, 5]],
    ["harbour MASTER", [2, 3, 4, 5]],
    ["vessel", [1, 2, 3, 4, 5]],
    ["vessels", [2, 3, 4, 5]],
    ["港の台帳", [1, 2, 3, 4]],
    ["?!", [1, 2, 3, 4, 5]],
  ])("the phrase %s is left out as it is written", async (phrase, pages) =>
    expect(await pagesMeeting([], [], [phrase])).toEqual(pages),
  );

  test("phrases and exclusions both count, and the order of the hits is kept", async () => {
    expect(await pagesMeeting(["master"], ["vessel"])).toEqual([2]);
    const twice = [{ datasetId: other, page: 1, generation: "", score: 2 }, ...hits];
    const left = await meetingByText(stored, { phrases: [], without: ["ledger"], withoutPhrases: [] }, twice);
    expect(left.map((hit) => [hit.datasetId, hit.page])).toEqual([
      [other, 1],
      [datasetId, 2],
      [datasetId, 3],
      [datasetId, 4],
      [datasetId, 5],
    ]);
  });
});
