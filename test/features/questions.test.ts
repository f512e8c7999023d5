import { createDrs, type Drs } from "@drs/client";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { makePdf } from "../fixtures/pdf.ts";
import { startServer, type TestServer } from "../service/start.ts";

const pages = [
  "The harbour master keeps a ledger of all vessels that anchor beyond the lighthouse.",
  "A master mason built the walls of the harbour. Nobody kept a ledger of the stones.",
  "The laboratory is certified by ISO 9001 and by no other standard of the kind.",
  "The invoice for the telescope came to 1,234.50 dollars, postage included.",
  "Die Kündigungsfristen für Mietverträge über möblierte Wohnungen betragen drei Monate.",
  "Les dépenses de voyage sont remboursées dès réception des justificatifs.",
  "Los niños pequeños viajan gratis en el tranvía durante las vacaciones.",
  "TraceMonkey compiles loops to machine code while the program is running.",
  "A monkey left a trace of bananas in the kitchen, and another trace in the hall.",
  "Der Dampf des Kessels treibt das Schiff über den See nach Österreich.",
];

describe("questions as they are typed", () => {
  let server: TestServer;
  let drs: Drs;
  beforeAll(async () => {
    server = await startServer();
    drs = createDrs({ server: server.url, apiKey: server.credentials.apiKey });
    const document = makePdf({ pages: pages.map((text) => ({ text })) });
    const job = await drs.datasets.upload(document, { fileName: "pages.pdf", vectorize: true });
    expect(await drs.jobs.wait(job.id)).toMatchObject({ status: "SUCCESS", failures: [] });
  });
  afterAll(() => server.remove());

  const pagesFor = async (question: string): Promise<readonly number[]> =>
    (await drs.search(question)).map(({ col }) => col);

  test.each([
    ["two words", "harbour ledger", 1],
    [
      "a long one with much around it",
      "hi, I was wondering, who is it that keeps a ledger of the vessels near the lighthouse??",
      1,
    ],
    ["a name with a slip", "the lighthuose", 1],
    ["a code with a hyphen", "ISO-9001", 3],
    ["a code in one", "iso9001", 3],
    ["a number without separators", "1234.5", 4],
    ["a number with others", "1.234,50", 4],
    ["German with other endings", "Kündigungsfrist eines Mietvertrags", 5],
    ["German without its dots", "kundigungsfristen mobliert", 5],
    ["a German compound of words that a page has", "Fahrplan Dampfschiff", 10],
    ["French without accents", "remboursees depenses", 6],
    ["Spanish without accents", "ninos tranvia", 7],
    ["an identifier", "trace of TraceMonkey", 8],
  ])("%s", async (_, question, page) => expect((await pagesFor(question))[0]).toBe(page));

  test("quoted phrases have to be there in their order", async () => {
    expect(await pagesFor('"harbour master"')).toEqual([1]);
    expect(await pagesFor("the “master mason” of the harbour")).toEqual([2]);
    expect(await pagesFor('"of the harbour" walls')).toEqual([2]);
  });

  test("a phrase that no page has counts by its words", async () => {
    expect((await pagesFor('"master harbour lighthouse"'))[0]).toBe(1);
  });

  test("pages with a word that is left out are not found, by their vectors either", async () => {
    const found = await pagesFor("harbour ledger -vessels");
    expect(found[0]).toBe(2);
    expect(found).not.toContain(1);
    await expect(drs.search("-vessels")).rejects.toThrow("add words to look for");
  });
});
