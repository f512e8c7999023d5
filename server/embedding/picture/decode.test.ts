import { deflateSync } from "node:zlib";
import sharp from "sharp";
import { describe, expect, it } from "vitest";
import { decodePicture } from "./decode.ts";
import { drawPage } from "./testing/draw-page.ts";

const page = drawPage(1);
const drawn = () => sharp(page.data, { raw: { width: page.width, height: page.height, channels: 1 } });

/** A PNG chunk; the decoder must check the size before it can notice a wrong checksum or missing data. */
function chunk(type: string, data: Uint8Array): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(data.length);
  return Buffer.concat([length, Buffer.from(type, "latin1"), data, crc(Buffer.concat([Buffer.from(type), data]))]);
}

/** CRC-32 of PNG (ISO 3309). */
function crc(data: Uint8Array): Buffer {
  let value = 0xffffffff;
  for (const byte of data) {
    value ^= byte;
    for (let bit = 0; bit < 8; bit += 1) value = (value >>> 1) ^ (value & 1 ? 0xedb88320 : 0);
  }
  const result = Buffer.alloc(4);
  result.writeUInt32BE(~value >>> 0);
  return result;
}

function bomb(side: number): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(side, 0);
  header.writeUInt32BE(side, 4);
  header.set([8, 0, 0, 0, 0], 8);
  const signature = Buffer.from("\x89PNG\r\n\x1a\n", "latin1");
  return Buffer.concat([
    signature,
    chunk("IHDR", header),
    chunk("IDAT", deflateSync(Buffer.alloc(1000))),
    chunk("IEND", Buffer.alloc(0)),
  ]);
}

describe("a query picture", () => {
  it.each(["jpeg", "png", "webp", "gif", "tiff", "avif"] as const)("is read from %s", async (format) => {
    const picture = await decodePicture(await drawn().toFormat(format).toBuffer(), { longSide: 200 });
    expect(picture).toMatchObject({ height: 200, channels: 1 });
    expect(picture.data).toHaveLength(picture.width * picture.height);
  });

  it("is put on white where it is transparent", async () => {
    const png = await sharp({ create: { width: 20, height: 10, channels: 4, background: "#00000000" } })
      .png()
      .toBuffer();
    expect((await decodePicture(png, { longSide: 20 })).data.every((value) => value === 255)).toBe(true);
  });

  it("is turned as its metadata says", async () => {
    const sideways = await drawn().withMetadata({ orientation: 6 }).jpeg().toBuffer();
    const picture = await decodePicture(sideways, { longSide: 300 });
    expect(picture.width).toBeGreaterThan(picture.height);
  });

  it("is grey and enlarged if it is small and coloured", async () => {
    const png = await sharp({ create: { width: 8, height: 4, channels: 3, background: "#ff0000" } })
      .png()
      .toBuffer();
    expect(await decodePicture(png, { longSide: 64 })).toMatchObject({ width: 64, height: 32, channels: 1 });
  });

  const svg = '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><rect width="9" height="9"/></svg>';
  it.each<[string, () => Promise<Uint8Array> | Uint8Array, RegExp]>([
    ["nothing", () => new Uint8Array(0), /in no format that can be read; send one of JPEG, PNG/],
    ["text", () => Buffer.from("this is not a picture at all"), /in no format that can be read/],
    ["SVG", () => Buffer.from(svg), /in no format that can be read/],
    [
      "SVG behind an XML declaration",
      () => Buffer.from(`<?xml version="1.0"?>${svg}`),
      /in no format that can be read/,
    ],
    ["PDF", () => Buffer.from("%PDF-1.7\n%âãÏÓ\n"), /in no format that can be read/],
    ["a JPEG cut short", async () => (await drawn().jpeg().toBuffer()).subarray(0, 4000), /cannot be decoded/],
    ["a PNG cut short", async () => (await drawn().png().toBuffer()).subarray(0, 4000), /cannot be decoded/],
    ["only a beginning", () => Buffer.from("\x89PNG\r\n\x1a\n", "latin1"), /cannot be decoded/],
    ["a PNG that claims 3.6 thousand million pixels", () => bomb(60_000), /cannot be decoded: .*pixel/i],
    ["a PNG with far fewer pixels than it claims", () => bomb(2000), /cannot be decoded/],
  ])("that is %s is refused", async (_, make, message) => {
    await expect(decodePicture(await make(), { longSide: 448 })).rejects.toMatchObject({
      kind: "invalid",
      message: expect.stringMatching(message),
    });
  });
});
