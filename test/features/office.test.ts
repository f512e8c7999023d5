import { execFileSync } from "node:child_process";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { createDrs, type Drs, type Job } from "@drs/client";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { makeDocx, makePptx, makeXlsx } from "../fixtures/ooxml.ts";
import { type ServerProcess, startServerProcess } from "../service/process.ts";
import { startServer, type TestServer } from "../service/start.ts";
import { hasTool, runTool, toolReason } from "../service/tools.ts";

const report = makeDocx({ paragraphs: ["Report on lighthouses", "The lamp turns once in twelve seconds."] });
const talk = makePptx({
  slides: ["Whales of the north", { text: "Not to be shown", hidden: true }, "Krill and plankton"],
});
const table = makeXlsx({
  sheets: [
    {
      name: "Prices",
      rows: [
        ["Apples", 3],
        ["Pears", 4],
      ],
    },
    { name: "Secret", hidden: true, rows: [["Salaries", 100_000]] },
    // LibreOffice prints a hidden sheet that has a print area.
    { name: "Wages", hidden: true, printArea: "$A$1:$B$1", rows: [["Guineas", 21]] },
    { name: "Grudges", hidden: "very", printArea: "$A$1:$B$1", rows: [["Rivals", 7]] },
  ],
});
/** As printed without its marks: fields have their stored results, and the name is the document's. */
const lease = makeDocx({
  paragraphs: ["Lease of the boathouse"],
  body: [
    `<w:p><w:r><w:t xml:space="preserve">The rent is </w:t></w:r>`,
    `<w:del w:id="1" w:author="A"><w:r><w:delText>ninety</w:delText></w:r></w:del>`,
    `<w:ins w:id="2" w:author="A"><w:r><w:t>eighty</w:t></w:r></w:ins>`,
    `<w:r><w:t xml:space="preserve"> crowns by </w:t></w:r>`,
    `<w:fldSimple w:instr=" REF nowhere "><w:r><w:t>clause seven</w:t></w:r></w:fldSimple>`,
    `<w:r><w:t xml:space="preserve"> of </w:t></w:r>`,
    `<w:fldSimple w:instr=" FILENAME \\p "><w:r><w:t>C:\\old.docx</w:t></w:r></w:fldSimple></w:p>`,
  ].join(""),
});
/** Letters that no font has; those of the Sumerians are in no system's. */
const tablets = makeDocx({ paragraphs: ["A tablet of the scribe", "𒀀𒁀𒂀"] });
const documentOf = (paragraphs: number): Buffer<ArrayBuffer> =>
  makeDocx({
    paragraphs: Array.from({ length: paragraphs }, (_, at) => `Paragraph ${at} about nothing in particular.`),
  });
/** Takes a converter some seconds. */
const long = documentOf(30_000);

describe.each([
  { engine: "soffice", needs: ["soffice"] },
  { engine: "wasm", needs: [] },
])("Office documents by $engine", ({ engine, needs }) => {
  describe.skipIf(needs.some((name) => !hasTool(name)))(`are pages like any other${toolReason(...needs)}`, () => {
    let server: TestServer;
    let drs: Drs;
    const jobs = new Map<string, Job>();

    beforeAll(async () => {
      server = await startServer({ converter: engine });
      drs = createDrs({ server: server.url, apiKey: server.credentials.apiKey });
      const files = {
        "report.docx": report,
        "talk.pptx": talk,
        "table.xlsx": table,
        "tablets.docx": tablets,
        "lease.docx": lease,
      };
      const accepted = await Promise.all(
        Object.entries(files).map(async ([fileName, file]) => ({
          fileName,
          job: await drs.datasets.upload(file, { fileName, vectorize: true }),
        })),
      );
      for (const { fileName, job } of accepted) jobs.set(fileName, await drs.jobs.wait(job.id));
    }, 300_000);
    afterAll(() => server.remove());

    /** The text of all one-page PDFs of a document, as another program reads it. */
    async function textOf(fileName: string): Promise<string> {
      const folder = await mkdtemp(join(tmpdir(), "drs-office-text-"));
      try {
        const texts: string[] = [];
        for await (const item of drs.items.list(jobs.get(fileName)?.datasetId ?? "", { row: "pdf", sort: ["col"] })) {
          const path = join(folder, `${item.col}.pdf`);
          await writeFile(path, await (await drs.download(item)).bytes());
          texts.push(runTool("pdftotext", [path, "-"]));
        }
        return texts.join("\n");
      } finally {
        await rm(folder, { recursive: true, force: true });
      }
    }

    test.each([
      ["report.docx", 1, "application/vnd.openxmlformats-officedocument.wordprocessingml.document"],
      ["talk.pptx", 2, "application/vnd.openxmlformats-officedocument.presentationml.presentation"],
      ["table.xlsx", 1, "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"],
    ])("%s has its pages, and says what it is", async (fileName, itemCount, mimeType) => {
      expect(jobs.get(fileName)).toMatchObject({ status: "SUCCESS", statusText: "", failures: [], warnings: [] });
      const dataset = await drs.datasets.get(jobs.get(fileName)?.datasetId ?? "");
      expect(dataset).toMatchObject({ itemCount, mimeType, fileExt: fileName.split(".")[1], fileName });
    });

    test.skipIf(!hasTool("pdftotext"))(
      `a document with changes and fields prints as it is meant${toolReason("pdftotext")}`,
      async () => {
        expect((await textOf("lease.docx")).replaceAll(/\s+/g, " ")).toContain(
          "The rent is eighty crowns by clause seven of lease.docx",
        );
        expect(jobs.get("lease.docx")).toMatchObject({ status: "SUCCESS", warnings: [] });
      },
    );

    test("letters without a font are said in the job's warnings", () => {
      expect(jobs.get("tablets.docx")).toMatchObject({
        status: "SUCCESS",
        failures: [],
        warnings: [{ code: "font", message: expect.stringMatching(/^letters as in “𒀀𒁀𒂀” may be empty boxes/) }],
      });
    });

    test("the dataset's link gives the uploaded file back, not the PDF", async () => {
      const { share } = await drs.datasets.get(jobs.get("report.docx")?.datasetId ?? "");
      expect(Buffer.from(await (await drs.download(share)).bytes()).equals(report)).toBe(true);
    });

    test.each([
      ["how often does the light turn", "report.docx", 1],
      ["plankton", "talk.pptx", 2],
      ["what do pears cost", "table.xlsx", 1],
    ])("%s is found", async (question, fileName, page) => {
      const [first] = await drs.search(question);
      expect(first).toMatchObject({ datasetId: jobs.get(fileName)?.datasetId, col: page });
    });

    test.skipIf(!hasTool("pdftotext"))(
      `hidden sheets and slides appear nowhere${toolReason("pdftotext")}`,
      async () => {
        const [sheets, slides] = [await textOf("table.xlsx"), await textOf("talk.pptx")];
        expect(sheets).toMatch(/Apples/);
        expect(sheets).not.toMatch(/Salaries|Secret|100000|Guineas|Rivals/);
        expect(slides).toMatch(/Whales[^]*Krill/);
        expect(slides).not.toMatch(/Not to be shown/);
      },
    );

    test("cancel ends a conversion within two seconds and frees what there was", async () => {
      const { id, datasetId } = await drs.datasets.upload(long, { fileName: "long.docx" });
      await expect
        .poll(async () => (await drs.jobs.get(id)).progress.stage, { timeout: 30_000, interval: 20 })
        .toBe("convert");
      await sleep(1_000);
      expect(await drs.jobs.cancel(id)).toMatchObject({ status: "ERROR", statusText: "cancelled" });
      await expect
        .poll(() => readdir(join(server.dataDir, "blobs", "originals")).then((names) => names.includes(datasetId)), {
          timeout: 15_000,
        })
        .toBe(false);
      const converted = await readdir(join(server.dataDir, "blobs", "converted"));
      expect(converted.filter((name) => name.startsWith(datasetId))).toEqual([]);
      const next = await drs.datasets.upload(report, { fileName: "next.docx" });
      expect(await drs.jobs.wait(next.id)).toMatchObject({ status: "SUCCESS" });
    }, 120_000);
  });
});

describe.skipIf(!hasTool("soffice"))(`a worker killed while it converts${toolReason("soffice")}`, () => {
  let dataDir: string;
  let server: ServerProcess;
  beforeAll(async () => {
    dataDir = await mkdtemp(join(tmpdir(), "drs-office-"));
    server = await startServerProcess(dataDir, ["--converter", "soffice"]);
  });
  afterAll(async () => {
    await server.terminate();
    await rm(dataDir, { recursive: true, force: true });
  });

  const converters = (): string[] => {
    try {
      return execFileSync("pgrep", ["-f", "soffice.bin.*drs-convert"], { encoding: "utf8" }).trim().split("\n");
    } catch {
      return [];
    }
  };
  const scratches = async (pid: number): Promise<string[]> =>
    (await readdir(tmpdir())).filter((name) => name.startsWith(`drs-convert-${pid}-`));

  test("leaves no converter behind, and the job ends in SUCCESS", async () => {
    const { apiKey }: { apiKey: string } = JSON.parse(await readFile(join(dataDir, "credentials.json"), "utf8"));
    const drs = createDrs({ server: server.url, apiKey });
    const { id } = await drs.datasets.upload(documentOf(6_000), { fileName: "long.docx" });
    await expect.poll(() => converters().length, { timeout: 60_000, interval: 50 }).toBeGreaterThan(0);
    const [worker] = server.workers();
    if (worker === undefined) throw new Error("there is no worker");
    const before = converters();
    process.kill(worker, "SIGKILL");
    await expect
      .poll(() => converters().filter((pid) => before.includes(pid)), { timeout: 5_000, interval: 50 })
      .toEqual([]);
    expect(await drs.jobs.wait(id)).toMatchObject({ status: "SUCCESS" });
    expect(await scratches(worker)).toEqual([]);
  }, 180_000);
});

test("a spreadsheet that prints to too many pages says what to do", async () => {
  const server = await startServer({ maxSheetPages: "2" });
  try {
    const drs = createDrs({ server: server.url, apiKey: server.credentials.apiKey });
    const rows = Array.from({ length: 400 }, (_, index) => [index, `row ${index}`]);
    const { id } = await drs.datasets.upload(makeXlsx({ sheets: [{ name: "Long", rows }] }), { fileName: "long.xlsx" });
    const job = await drs.jobs.wait(id);
    expect(job).toMatchObject({ status: "ERROR", statusText: expect.stringMatching(/more than 2 pages.*print areas/) });
  } finally {
    await server.remove();
  }
}, 300_000);
