import { createDrs, type Drs } from "@drs/client";
import sharp from "sharp";
import { afterAll, beforeAll, expect, test } from "vitest";
import { makePdf } from "../fixtures/pdf.ts";
import { startServer, type TestServer } from "../service/start.ts";

const subjects = [
  "The lighthouse keeper trims the lamp before the evening fog rolls over the harbour wall",
  "Bees carry pollen between apple blossoms while the orchard warms in the morning sun",
  "The printing press stamps every sheet twice and dries the ink beneath slow rollers",
  "Miners lower the cage through wet granite until the pumps begin to labour again",
];
/** A page with one of the subjects in its upper and another one in its lower half. */
const pageOf = (upper: number, lower: number): string =>
  [...linesOf(subjects[upper] ?? ""), ...Array<string>(12).fill(""), ...linesOf(subjects[lower] ?? "")].join("\n");
const linesOf = (text: string): readonly string[] => text.match(/.{1,44}(?: |$)/g) ?? [];

let server: TestServer;
let drs: Drs;
let datasetId: string;

beforeAll(async () => {
  server = await startServer();
  drs = createDrs({ server: server.url, apiKey: server.credentials.apiKey });
  const pages = [pageOf(0, 1), pageOf(2, 3), pageOf(1, 2), pageOf(3, 0)].map((text) => ({ text, fontSize: 16 }));
  const job = await drs.datasets.upload(makePdf({ pages }), { fileName: "halves.pdf", vectorize: true });
  datasetId = job.datasetId;
  expect(await drs.jobs.wait(job.id)).toMatchObject({ status: "SUCCESS", failures: [] });
});
afterAll(() => server.remove());

test.each([1, 2, 3, 4])("the part of page %i that has words finds it, small and compressed", async (page) => {
  const [item] = (await drs.items.page(datasetId, { row: "jpg", cols: page })).data;
  if (item === undefined) throw new Error("no picture");
  const picture = sharp(await (await drs.download(item)).bytes());
  const { width, height } = await picture.metadata();
  const part = { left: 0, top: 0, width, height: Math.round(0.55 * height) };
  const crop = await sharp(await picture.extract(part).png().toBuffer())
    .resize({ width: Math.round(0.7 * width) })
    .jpeg({ quality: 50 })
    .toBuffer();
  const [first] = await drs.search({ image: new Blob([new Uint8Array(crop)], { type: "image/jpeg" }) });
  expect(first?.col).toBe(page);
  expect(first?.score).toBeGreaterThan(0.2);
});
