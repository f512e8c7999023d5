import { createDrs, type Drs, type Job } from "@drs/client";
import { readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { corpusFile, corpusReason, hasCorpus } from "../service/corpus.ts";
import { startServer, type TestServer } from "../service/start.ts";
import { hasTool, toolReason } from "../service/tools.ts";

/**
 * Documents made after public bug reports on other tools, with what is right for each: file, kind of the expectation, words.
 * Kinds: `find` (the file is among the first two hits: two files have the same words), `text` (these words in this order), `text-part` (they stand on a page), `notext`
 * (they stand on none), `pages` (their number), `look` (a person looks at the picture; not tested here).
 */
type Expectation = readonly [file: string, kind: string, words: string];

const expectations: Expectation[] = hasCorpus
  ? JSON.parse(readFileSync(corpusFile("field/expected.json"), "utf8")).filter(
      ([, kind]: Expectation) => kind !== "look",
    )
  : [];
const files = [...new Set(expectations.map(([file]) => file))];

/** Lines may be divided elsewhere by another font. */
const inOneLine = (text: string): string => text.replaceAll(/\s+/gu, " ");

describe.each([
  { engine: "soffice", needs: ["soffice"] },
  { engine: "wasm", needs: [] },
])("field cases by $engine", ({ engine, needs }) => {
  describe.skipIf(!hasCorpus || needs.some((name) => !hasTool(name)))(
    `read as a person reads them${corpusReason}${toolReason(...needs)}`,
    () => {
      let server: TestServer;
      let drs: Drs;
      const jobs = new Map<string, Job>();

      beforeAll(async () => {
        server = await startServer({ converter: engine });
        drs = createDrs({ server: server.url, apiKey: server.credentials.apiKey });
        const upload = async (fileName: string) => {
          const bytes = await readFile(corpusFile(`field/${fileName}`));
          return drs.datasets.upload(bytes, { fileName, vectorize: true });
        };
        const accepted = await Promise.all(files.map(upload));
        for (const [at, { id }] of accepted.entries()) jobs.set(files[at] ?? "", await drs.jobs.wait(id));
      }, 600_000);
      afterAll(() => server.remove());

      async function pagesOf(fileName: string): Promise<readonly string[]> {
        const { datasetId = "" } = jobs.get(fileName) ?? {};
        const texts: string[] = [];
        for await (const { text } of drs.items.list(datasetId, { row: "pdf", sort: ["col"], include: ["text"] })) {
          texts.push(inOneLine(text ?? ""));
        }
        return texts;
      }

      const checks: Readonly<Record<string, (file: string, words: string) => Promise<void>>> = {
        async find(file, words) {
          const first = (await drs.search(words)).slice(0, 2).map(({ datasetId }) => datasetId);
          expect(first).toContain(jobs.get(file)?.datasetId);
        },
        async text(file, words) {
          expect((await pagesOf(file)).join(" ")).toContain(inOneLine(words));
        },
        async "text-part"(file, words) {
          expect((await pagesOf(file)).join(" ")).toContain(inOneLine(words));
        },
        async notext(file, words) {
          expect((await pagesOf(file)).join(" ")).not.toContain(words);
        },
        async pages(file, count) {
          expect(await pagesOf(file)).toHaveLength(Number(count));
        },
      };

      test.each(expectations)("%s: %s %s", async (file, kind, words) => {
        expect(checks).toHaveProperty([kind]);
        await checks[kind]?.(file, words);
      });
    },
  );
});
