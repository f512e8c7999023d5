import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { createConverters } from "../../server/pipeline/convert/select.ts";
import { createPdfiumEngine } from "../../server/pipeline/engines/pdfium/engine.ts";
import { DocumentError } from "../../server/pipeline/errors.ts";
import sharp from "sharp";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { makeDocx, makeXlsx } from "../fixtures/ooxml.ts";
import { hasTool, toolReason } from "../service/tools.ts";

const requests: string[] = [];
const listener = createServer((request, response) => {
  requests.push(request.url ?? "");
  response.end("served");
});
let folder: string;
let address: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "drs-isolation-"));
  listener.listen(0, "127.0.0.1");
  await once(listener, "listening");
  address = `http://127.0.0.1:${(listener.address() as AddressInfo).port}`;
  await sharp({ create: { width: 400, height: 400, channels: 3, background: "#ff0000" } })
    .png()
    .toFile(join(folder, "secret.png"));
});
afterAll(async () => {
  listener.close();
  await rm(folder, { recursive: true, force: true });
});

describe.each([
  { engine: "soffice" as const, needs: ["soffice"] },
  { engine: "wasm" as const, needs: [] },
])("what a document asks of $engine", ({ engine, needs }) => {
  describe.skipIf(needs.some((name) => !hasTool(name)))(`stays unasked${toolReason(...needs)}`, () => {
    const conversions = createConverters({ choice: engine });
    afterAll(() => conversions.close());

    async function convert(name: string, document: Buffer, timeoutMs = 120_000): Promise<string> {
      const [file, output] = [join(folder, `${engine}-${name}`), join(folder, `${engine}-${name}.pdf`)];
      await writeFile(file, document);
      const extension = name.split(".").at(-1) ?? "";
      await conversions.convert({ file, extension, output }, { signal: new AbortController().signal, timeoutMs });
      return output;
    }

    test("no request for a linked picture or a template leaves the machine", async () => {
      requests.length = 0;
      const linkedPictures = [`${address}/picture.png`];
      await convert(
        "links.docx",
        makeDocx({ paragraphs: ["Linked"], linkedPictures, template: `${address}/template.dotm` }),
      );
      expect(requests).toEqual([]);
    }, 240_000);

    test("no formula fetches anything", async () => {
      requests.length = 0;
      const formula = { formula: `WEBSERVICE("${address}/formula")`, value: "before" };
      const document = makeXlsx({ sheets: [{ name: "Formula", rows: [["Value", formula]] }] });
      // The WebAssembly build waits for an answer that cannot come, until it is stopped: a clear error, and no request.
      const outcome = await convert("formula.xlsx", document, 20_000).catch((cause: unknown) => cause);
      if (outcome instanceof Error) expect(outcome).toBeInstanceOf(DocumentError);
      expect(requests).toEqual([]);
    }, 240_000);

    test("no picture is read from the file system", async () => {
      const linkedPictures = [pathToFileURL(join(folder, "secret.png")).href, join(folder, "secret.png")];
      const pdf = await convert("files.docx", makeDocx({ paragraphs: ["Local"], linkedPictures }));
      const document = await (await createPdfiumEngine(700 * 2 ** 20)).open(pdf);
      const { data } = await sharp(await document.jpeg(1))
        .raw()
        .toBuffer({ resolveWithObject: true });
      await document.close();
      let red = 0;
      for (let at = 0; at + 2 < data.length; at += 3) {
        if ((data[at] ?? 0) > 200 && (data[at + 1] ?? 0) < 80 && (data[at + 2] ?? 0) < 80) red += 1;
      }
      expect(red).toBe(0);
    }, 240_000);
  });
});

test("the listener would have heard", async () => {
  requests.length = 0;
  await fetch(`${address}/heard`);
  expect(requests).toEqual(["/heard"]);
});
