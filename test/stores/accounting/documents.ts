import { setTimeout as sleep } from "node:timers/promises";
import type { UploadPiece } from "../../../server/domain/datasets/pieces.ts";
import type { PartPiece } from "../../../server/domain/uploads/part-pieces.ts";
import { docxEntries, makeZip } from "../../fixtures/ooxml.ts";
import type { Sent } from "./acts.ts";
import type { Life } from "./life.ts";

/** "junk" shows with its first bytes that it is no document, "damaged" only once it has been stored. */
export type Content = "pdf" | "docx" | "damaged" | "junk";

/** The connection of a client is gone. */
export class CutOff extends Error {
  override readonly name = "CutOff";
}

const beginnings = { pdf: "%PDF-1.7\n", damaged: "PK\u0003\u0004", junk: "\u0000\u0001 nothing that is known" };

function documentOf({ content, size }: Sent): Buffer {
  if (content === "docx") return makeZip(docxEntries({ paragraphs: ["x".repeat(size)] }));
  return Buffer.from(beginnings[content].padEnd(size, "\u0000"));
}

/** The bytes in two pieces, between which the process may die. */
export async function* bytesOf(sent: Sent, life: Life, cutOff: () => Error): AsyncGenerator<Uint8Array> {
  const bytes = documentOf(sent);
  const middle = Math.ceil(bytes.length / 2);
  yield bytes.subarray(0, middle);
  // Other acts may run in between.
  await sleep(0);
  life.step();
  if (sent.isCut) throw cutOff();
  yield bytes.subarray(middle);
}

export async function* uploadPieces(
  sent: Sent,
  life: Life,
  expiresInDays: number | undefined,
): AsyncGenerator<UploadPiece> {
  for await (const file of bytesOf(sent, life, () => new CutOff())) {
    yield { file, fileName: "a document", url: "", expiresInDays, callbackUrl: "" };
  }
}

export async function* partPieces(
  sent: Sent & { readonly number: number },
  life: Life,
  key: string,
): AsyncGenerator<PartPiece> {
  yield { key, partNumber: sent.number, checksum: "", file: new Uint8Array() };
  for await (const file of bytesOf(sent, life, () => new CutOff()))
    yield { key: "", partNumber: 0, checksum: "", file };
}
