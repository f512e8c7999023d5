import { createDrs, type Drs } from "@drs/client";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { makePdf } from "../fixtures/pdf.ts";
import { startServer, type TestServer } from "../service/start.ts";

const pages = [
  { text: "A walrus sleeps on the ice, and other walruses watch" },
  { text: "Die Kündigung der Miete für das Dampfschiff auf der Donau und der Vertrag" },
  { text: "The function getElementById finds an element of the page" },
  { text: "To be, or not to be, that is the question" },
  { text: "Nothing of the kind" },
];

describe("words of an explanation", () => {
  let server: TestServer;
  let drs: Drs;

  beforeAll(async () => {
    server = await startServer();
    drs = createDrs({ server: server.url, apiKey: server.credentials.apiKey });
    const job = await drs.datasets.upload(makePdf({ pages }), { fileName: "pages.pdf", vectorize: true });
    expect(await drs.jobs.wait(job.id)).toMatchObject({ status: "SUCCESS", failures: [] });
  });
  afterAll(() => server.remove());

  /** Returns the words of the page that is found first. */
  async function wordsOf(question: string): Promise<{ col: number; words: unknown[]; boxes: string[] }> {
    const [hit] = await drs.search(question, { explain: true, include: ["highlights"], limit: 1 });
    const [part] = hit?.explanation?.parts ?? [];
    const space = part?.spaces.find(({ name }) => name === "words");
    const sum = (part?.words ?? []).reduce((total, { logOdds }) => total + logOdds, 0);
    expect(sum).toBeCloseTo(space?.logOdds ?? 0, 9);
    return {
      col: hit?.col ?? 0,
      words: (part?.words ?? []).map(({ word, count, foundAs }) => [word, count, ...foundAs]),
      boxes: (hit?.highlights ?? []).map(({ text }) => text).toSorted(),
    };
  }

  test.each<[string, string, Awaited<ReturnType<typeof wordsOf>>]>([
    [
      "are those of the question, with what a misspelt one was found as",
      "Where does the Walrsu sleep?",
      {
        col: 1,
        words: [
          ["Walrsu", 2, "walrus", "walruses"],
          ["sleep", 1],
        ],
        boxes: ["walrus sleeps", "walruses"],
      },
    ],
    ["are in other forms", "Kündigungen", { col: 2, words: [["Kündigungen", 1]], boxes: ["Kündigung"] }],
    ["are within compounds", "Schiff", { col: 2, words: [["Schiff", 1]], boxes: ["Dampfschiff"] }],
    [
      "are what a compound is put together of",
      "Mietvertrag",
      { col: 2, words: [["Mietvertrag", 2, "Miete", "Vertrag"]], boxes: ["Miete", "Vertrag"] },
    ],
    [
      "are identifiers as a whole",
      "the getElementById",
      { col: 3, words: [["getElementById", 1]], boxes: ["getElementById"] },
    ],
    [
      "are those that say nothing, where there are no others",
      "To be or not to be",
      {
        col: 4,
        words: [
          ["To", 2],
          ["be", 2],
          ["or", 1],
          ["not", 1],
        ],
        boxes: ["To be, or not to be"],
      },
    ],
  ])("%s", async (_, question, expected) => {
    expect(await wordsOf(question)).toEqual(expected);
  });
});
