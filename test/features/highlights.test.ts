import { createDrs, type Drs, type FoundItem } from "@drs/client";
import sharp from "sharp";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { makePdf } from "../fixtures/pdf.ts";
import { startServer, type TestServer } from "../service/start.ts";

const needle = { text: "zebra crossing", fontSize: 20 } as const;
/** Pages on which only the words of the question are drawn. */
const alone = [
  needle,
  { ...needle, rotate: 90 },
  { ...needle, rotate: 180 },
  { ...needle, rotate: 270 },
  { ...needle, cropBox: [30, 600, 400, 830] },
  { ...needle, cropBox: [30, 600, 400, 830], rotate: 90 },
  { ...needle, userUnit: 2 },
  // What Noto Sans JP says of itself where it is taken out of an Office document.
  { ...needle, fontHeight: [1808, -1048] },
  { ...needle, fontHeight: [1808, -1048], rotate: 270 },
] as const;
const many = Array.from({ length: 45 }, (_, index) => `A zebra of line ${index} near the crossing stands`).join("\n");
const pages = [
  ...alone,
  { text: `${many}\nAt last the zebra crossing.` },
  { text: "Nothing of the kind" },
  { text: "" },
  { text: "Nobody stands at the zebra cros-\nsing of the street" },
];

describe("highlights", () => {
  let server: TestServer;
  let drs: Drs;
  let datasetId: string;
  let found: ReadonlyMap<number, FoundItem>;

  beforeAll(async () => {
    server = await startServer();
    drs = createDrs({ server: server.url, apiKey: server.credentials.apiKey });
    const job = await drs.datasets.upload(makePdf({ pages }), { fileName: "streets.pdf", vectorize: true });
    datasetId = job.datasetId;
    expect(await drs.jobs.wait(job.id)).toMatchObject({ status: "SUCCESS", failures: [] });
    const hits = await drs.search("Where is the zebra crossing?", {
      datasetIds: [datasetId],
      limit: 20,
      include: ["highlights", "picture"],
    });
    found = new Map(hits.map((hit) => [hit.col, hit]));
  });
  afterAll(() => server.remove());

  /** The box around all ink of the page's picture, in fractions of it. */
  async function inkOf(
    picture: string | undefined,
  ): Promise<{ left: number; top: number; right: number; bottom: number }> {
    const bytes = Buffer.from((picture ?? "").replace(/^[^,]*,/, ""), "base64");
    const { data, info } = await sharp(bytes).greyscale().raw().toBuffer({ resolveWithObject: true });
    const [xs, ys]: [number[], number[]] = [[], []];
    for (let at = 0; at < data.length; at += info.channels) {
      if ((data[at] ?? 255) > 128) continue;
      const pixel = at / info.channels;
      xs.push(pixel % info.width);
      ys.push(Math.floor(pixel / info.width));
    }
    const bound = (values: readonly number[], size: number): readonly [number, number] => [
      values.reduce((least, value) => Math.min(least, value), Infinity) / size,
      (values.reduce((most, value) => Math.max(most, value), -Infinity) + 1) / size,
    ];
    const [[left, right], [top, bottom]] = [bound(xs, info.width), bound(ys, info.height)];
    return { left, top, right, bottom };
  }

  test.each(alone.map((page, index) => [index + 1, page] as const))(
    "page %i, %j: the box is around its words",
    async (number) => {
      const { highlights = [], picture } = found.get(number) ?? {};
      expect(highlights.map(({ text }) => text)).toEqual(["zebra crossing"]);
      const ink = await inkOf(picture);
      for (const { x, y, width, height } of highlights) {
        const slack = 0.004;
        expect(x).toBeLessThanOrEqual(ink.left + slack);
        expect(y).toBeLessThanOrEqual(ink.top + slack);
        expect(x + width).toBeGreaterThanOrEqual(ink.right - slack);
        expect(y + height).toBeGreaterThanOrEqual(ink.bottom - slack);
        expect(width * height).toBeLessThan(2.5 * (ink.right - ink.left) * (ink.bottom - ink.top));
      }
    },
  );

  test("the words that stand together come first, and no more than fifty", () => {
    const { highlights = [] } = found.get(10) ?? {};
    expect(highlights).toHaveLength(50);
    expect(highlights[0]?.text).toBe("zebra crossing");
    expect(new Set(highlights.slice(1).map(({ text }) => text))).toEqual(new Set(["zebra", "crossing"]));
    for (const { x, y, width, height } of highlights) {
      expect(Math.min(x, y, width, height)).toBeGreaterThanOrEqual(0);
      expect(Math.max(x + width, y + height)).toBeLessThanOrEqual(1);
    }
  });

  test("a word that is divided at the end of its line has a box on each of the two", () => {
    const { highlights = [] } = found.get(13) ?? {};
    expect(highlights.map(({ text }) => text)).toEqual(["zebra cros", "sing"]);
    const [first, second] = highlights;
    expect(second?.y).toBeGreaterThan(first?.y ?? 1);
    expect(second?.x).toBeLessThan(first?.x ?? 0);
  });

  test("forms of words in other languages, and words of other scripts, have boxes where the index finds them", async () => {
    const thai = { a: "ท", b: "ำ", c: "ง", d: "า", e: "น", f: "\u0e4d", g: "ร", h: "ะ", i: "บ" };
    // Drawn from left to right.
    const arabic = { a: "\u0627", L: "\u0644", s: "\u0633", l: "\u0644\u0627", p: "\ufefc", m: "\u0645", k: "\u0643" };
    const documents = [
      { pages: [{ text: "Die Kündigungsfristen für den Mietvertrag und das Dampfschiff auf der Donau" }] },
      { pages: [{ text: "ghii afdcde" }], meanings: thai },
      { pages: [{ text: "mk mpsLa" }, { text: "mk mlsLa" }], meanings: arabic },
    ];
    for (const [index, document] of documents.entries()) {
      const job = await drs.datasets.upload(makePdf(document), { fileName: `${index}.pdf`, vectorize: true });
      expect(await drs.jobs.wait(job.id)).toMatchObject({ status: "SUCCESS", failures: [] });
    }
    const textsOf = async (question: string): Promise<readonly string[]> => {
      const hits = await drs.search(question, { include: ["highlights"] });
      return hits.flatMap(({ highlights = [] }) => highlights.map(({ text }) => text)).toSorted();
    };
    expect(await textsOf("Kündigungsfrist")).toEqual(["Kündigungsfristen"]);
    expect(await textsOf("Schiff")).toEqual(["Dampfschiff"]);
    expect(await textsOf("ทำงาน")).toEqual(["ทํางาน"]);
    expect(await textsOf("السلام")).toEqual(["السالم", "السلام"]);
  });

  test("pages without the words have none, and neither have questions in pictures alone", async () => {
    expect([found.get(11)?.highlights, found.get(12)?.highlights]).toEqual([undefined, undefined]);
    const image = found.get(1)?.picture;
    const byPicture = await drs.search({ image }, { datasetIds: [datasetId], include: ["highlights"] });
    expect(byPicture.length).toBeGreaterThan(0);
    expect(byPicture.every(({ highlights }) => highlights === undefined)).toBe(true);
  });

  test("a list of items has no question to show the words of", async () => {
    const response = await fetch(`${server.url}/v1/datasets/${datasetId}/items?include=highlights`, {
      headers: { "x-api-key": server.credentials.apiKey },
    });
    expect([response.status, await response.text()]).toEqual([400, expect.stringContaining("search")]);
  });
});
