import { documentFormats } from "../../formats/identify.ts";
import { describe, expect, test } from "vitest";
import { newUploadKey, newWorkspaceId } from "../ids.ts";
import { notFound } from "../errors.ts";
import { maxPartBytes, type PartPiece, receivePart } from "./part-pieces.ts";
import type { Upload } from "./upload.ts";

const upload: Upload = {
  key: newUploadKey(),
  workspaceId: newWorkspaceId(),
  versionOf: null,
  fileName: "a.pdf",
  jobType: "datasets/extract",
  expiryInDays: null,
  fileSize: null,
  metadata: {},
  callbackUrl: null,
  createdAt: 0,
  expiresAt: 1,
  ended: null,
};

const piece = (fields: Partial<PartPiece>): PartPiece => ({
  key: "",
  partNumber: 0,
  checksum: "",
  file: new Uint8Array(),
  ...fields,
});
const bytes = (text: string): PartPiece => piece({ file: Buffer.from(text) });

/** Reads a part to its end; `taken` counts the requested pieces. */
async function receive(pieces: readonly PartPiece[], maxBytes = maxPartBytes) {
  let taken = 0;
  const found: string[] = [];
  async function* coming(): AsyncGenerator<PartPiece> {
    for (const next of pieces) {
      taken += 1;
      yield next;
    }
  }
  const find = async (key: string): Promise<Upload> => {
    found.push(key);
    if (key !== upload.key) throw notFound(`there is no upload session ${key}`);
    return upload;
  };
  const part = receivePart(coming(), { find, formats: documentFormats, maxBytes });
  try {
    const chunks: Uint8Array[] = [];
    for await (const chunk of part.from(await part.head())) chunks.push(chunk);
    return { text: Buffer.concat(chunks).toString(), heading: part.heading(), taken, found };
  } catch (cause) {
    return { cause, taken, found };
  }
}

const key = piece({ key: upload.key });
const checksum = "ab".repeat(32);

describe("a part", () => {
  test.each<[string, PartPiece[]]>([
    ["in front of the bytes", [key, piece({ partNumber: 7, checksum }), bytes("one"), bytes("two")]],
    ["behind the bytes", [bytes("one"), bytes("two"), piece({ partNumber: 7 }), piece({ checksum }), key]],
    [
      "between the bytes",
      [bytes("one"), key, piece({ partNumber: 7, checksum: checksum.toUpperCase() }), bytes("two")],
    ],
    [
      "with every piece",
      ["one", "two"].map((text) => piece({ key: upload.key, partNumber: 7, checksum, file: Buffer.from(text) })),
    ],
  ])("may say what it is %s", async (_, pieces) => {
    expect(await receive(pieces)).toEqual({
      text: "onetwo",
      heading: { upload, partNumber: 7, checksum },
      taken: pieces.length,
      found: [upload.key],
    });
  });

  test("is refused as soon as its key turns out to be unknown", async () => {
    const { cause, taken } = await receive([piece({ key: "tmp_x" }), piece({ partNumber: 2 }), bytes("one")]);
    expect(cause).toMatchObject({ kind: "not_found" });
    expect(taken).toBe(1);
  });

  test("number 1 is refused at its first bytes if no document begins with them", async () => {
    const junk = bytes("hello ".repeat(200));
    const { cause, taken } = await receive([key, piece({ partNumber: 1 }), junk, junk, junk]);
    expect(cause).toMatchObject({ kind: "unsupported", message: expect.stringMatching(/plain text/) });
    expect(taken).toBe(3);
    expect(await receive([key, bytes("hello"), piece({ partNumber: 1 })])).toMatchObject({
      cause: { kind: "unsupported" },
    });
    expect(await receive([key, piece({ partNumber: 2 }), junk])).toMatchObject({ heading: { partNumber: 2 } });
  });

  test("is refused as soon as it is too large, and not a byte before", async () => {
    const megabyte = piece({ file: Buffer.alloc(2 ** 20) });
    const head = [key, piece({ partNumber: 2 })];
    const most = Array.from({ length: 100 }, () => megabyte);
    expect(await receive([...head, ...most])).toMatchObject({ heading: { partNumber: 2 } });
    const { cause, taken } = await receive([...head, ...most, bytes("x"), bytes("y")]);
    expect(cause).toMatchObject({ kind: "too_large", message: expect.stringMatching(/larger than 100 MB/) });
    expect(taken).toBe(103);
  });

  test.each<[string, PartPiece[], RegExp]>([
    ["without a key", [piece({ partNumber: 1 }), bytes("%PDF-")], /give the key/],
    ["without a number", [key, bytes("%PDF-")], /partNumber, from 1 to 10000/],
    ["with the number 10001", [key, piece({ partNumber: 10_001 }), bytes("x")], /partNumber, from 1 to 10000/],
    ["without bytes", [key, piece({ partNumber: 1 })], /the part is empty/],
    ["with two keys", [key, piece({ key: newUploadKey() })], /key is given twice/],
    ["with two numbers", [key, piece({ partNumber: 1 }), piece({ partNumber: 2 })], /partNumber is given twice/],
    ["with two checksums", [piece({ checksum }), piece({ checksum: "cd".repeat(32) })], /checksum is given twice/],
  ])("%s is refused", async (_, pieces, sentence) => {
    const { cause } = await receive(pieces);
    expect(cause).toMatchObject({ kind: "invalid", message: expect.stringMatching(sentence) });
  });
});
