import { createCanvas, SvgExportFlag } from "@napi-rs/canvas";
import { createDrs, type Drs } from "@drs/client";
import { prose, serif } from "../../server/embedding/ocr/testing/drawn-page.ts";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { makePdf } from "../fixtures/pdf.ts";
import { startServer, type TestServer } from "../service/start.ts";

/** The height of the page of a generated PDF, points. */
const height = 842;

/** The lines as drawing programs save text that no font shall be needed for: the shapes of its letters, as paths. */
function outlined(lines: readonly string[]): string {
  const canvas = createCanvas(595, height, SvgExportFlag.ConvertTextToPaths);
  const pen = canvas.getContext("2d");
  pen.font = `14px "${serif}"`;
  lines.forEach((line, index) => pen.fillText(line, 60, 90 + 20 * index));
  const paths = [
    ...canvas
      .getContent()
      .toString()
      .matchAll(/ d="([^"]*)"/g),
  ].map(([, path = ""]) => path);
  // The operators of PDF have the coordinates first, which count from below.
  return `q 1 0 0 -1 0 ${height} cm\n${paths.map((path) => `${path.replace(/([MLCZ])([^MLCZ]*)/g, operator)} f`).join("\n")}\nQ`;
}

function operator(_: string, command: string, numbers: string): string {
  if (command === "Z") return " h";
  return ` ${numbers.replaceAll(",", " ")} ${command.toLowerCase()}`;
}

describe("a document whose letters are outlines", () => {
  let server: TestServer;
  let drs: Drs;
  let datasetId: string;

  beforeAll(async () => {
    server = await startServer();
    drs = createDrs({ server: server.url, apiKey: server.credentials.apiKey });
    const pages = [{ text: "Collected Ledgers" }, {}, { operators: outlined(prose) }, { text: "Part II" }];
    const job = await drs.datasets.upload(makePdf({ pages }), { fileName: "ledgers.pdf", vectorize: true });
    ({ datasetId } = job);
    expect(await drs.jobs.wait(job.id)).toMatchObject({ status: "SUCCESS", failures: [] });
  });
  afterAll(() => server.remove());

  test("is found by the words that they make", async () => {
    const [first] = await drs.search("lighthouse captain vessel");
    expect(first).toMatchObject({ datasetId, col: 3 });
  });

  test("is found by its title, which is text", async () => {
    const [first] = await drs.search("collected ledgers");
    expect(first).toMatchObject({ datasetId, col: 1 });
  });
});
