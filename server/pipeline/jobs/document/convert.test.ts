import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { docxEntries, makeDocx, makePptx, makeZip, properties } from "../../../../test/fixtures/ooxml.ts";
import { type FixturePage, makePdf } from "../../../../test/fixtures/pdf.ts";
import { readSettings } from "../../../settings/settings.ts";
import { precheckOffice } from "../../convert/precheck/precheck.ts";
import { createPagePool, type PagePool } from "../../threads/pool.ts";
import { checkConverted } from "./convert.ts";

const settings = readSettings({ env: {} });
const { signal } = new AbortController();
let folder: string;
let pool: PagePool;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "drs-converted-"));
  pool = createPagePool({ threads: 1 });
});
afterAll(async () => {
  await pool.close();
  await rm(folder, { recursive: true });
});

async function check(document: Uint8Array, pages: readonly FixturePage[]): Promise<void> {
  const [file, pdf] = [join(folder, "document"), join(folder, "made.pdf")];
  await Promise.all([writeFile(file, document), writeFile(pdf, makePdf({ pages }))]);
  await checkConverted({ settings }, { pdf, facts: await precheckOffice(file), reader: pool, signal });
}

const sentence = "The lamp turns once in twelve seconds. ".repeat(5);

test("a document with words that comes out without any is refused", async () => {
  const document = makeDocx({ paragraphs: [sentence] });
  await expect(check(document, [{}, {}])).rejects.toThrow("the conversion came out blank");
  await check(document, [{}, { text: "lamp" }]);
  await expect(check(makePptx({ slides: [sentence] }), [{}])).rejects.toThrow("the conversion came out blank");
});

test("a document without words may come out blank", async () => {
  for (const document of [
    makeZip([...docxEntries({ paragraphs: [""] }), properties]),
    makePptx({ slides: [{ text: undefined }] }),
    makePptx({ slides: [{ text: sentence, hidden: true }] }),
  ]) {
    await expect(check(document, [{}])).resolves.toBeUndefined();
  }
});
