import { type DocumentFormats, readHead } from "../documents/source.ts";
import { invalid, tooLarge } from "../errors.ts";
import type { Upload } from "./upload.ts";

/**
 * A piece of a part as it arrives. Its fields may come in any piece and be repeated; the bytes come in order. An
 * empty field, or 0 as the part number, means that the piece does not contain it.
 */
export interface PartPiece {
  readonly key: string;
  readonly partNumber: number;
  /** SHA-256 of the whole part, hexadecimal. */
  readonly checksum: string;
  /** The next bytes; may be empty. Valid until the next piece is requested. */
  readonly file: Uint8Array;
}

export interface ReceivedPart {
  /** Reads the first bytes; fewer than identify a document only if the part is shorter. */
  head(): Promise<Uint8Array>;
  /** All bytes, beginning with the `head` that has been read. */
  from(head: Uint8Array): AsyncGenerator<Uint8Array>;
  /** The fields received so far; 0 if the part number has not come yet. */
  received(): { readonly upload: Upload | undefined; readonly partNumber: number };
  /** The fields of the part; complete when its bytes have been read to the end. Throws `invalid`. */
  heading(): PartHeading;
}

export interface PartHeading {
  readonly upload: Upload;
  readonly partNumber: number;
  /** Hexadecimal, lower case; empty if not given. */
  readonly checksum: string;
}

/** The contract's 100 MB, in the larger of its two meanings. */
export const maxPartBytes = 100 * 2 ** 20;
/** The same maximum as S3, which clients know. */
export const maxPartNumber = 10_000;

interface PartRules {
  /** Finds the session of a key. */
  readonly find: (key: string) => Promise<Upload>;
  readonly formats: Pick<DocumentFormats, "refuseAtOnce">;
  readonly maxBytes: number;
}

/**
 * Reads the pieces of a part. The session is looked up with `find` as soon as its key is known, the number is
 * checked, the first part is refused if it cannot be the beginning of a document, and the size is checked on the
 * way, so that a part is refused as early as possible.
 */
export function receivePart(pieces: AsyncIterable<PartPiece>, { find, formats, maxBytes }: PartRules): ReceivedPart {
  let upload: Upload | undefined;
  let key = "";
  let partNumber = 0;
  let checksum = "";
  let size = 0;
  const chunks = bytes();

  async function* bytes(): AsyncGenerator<Uint8Array, undefined> {
    for await (const piece of pieces) {
      if (piece.key !== "" && agreed("key", key, piece.key)) {
        key = piece.key;
        upload = await find(key);
      }
      if (piece.partNumber !== 0 && agreed("partNumber", partNumber || "", piece.partNumber)) {
        if (piece.partNumber > maxPartNumber) throw invalid(numberSentence);
        partNumber = piece.partNumber;
      }
      const sum = piece.checksum.toLowerCase();
      if (sum !== "" && agreed("checksum", checksum, sum)) checksum = sum;
      size += piece.file.length;
      if (size > maxBytes) throw tooLarge(partSizeSentence(maxBytes));
      if (piece.file.length > 0) yield piece.file;
    }
    return undefined;
  }

  return {
    async head() {
      const head = await readHead(chunks);
      if (partNumber === 1 && head.length > 0) formats.refuseAtOnce(head);
      return head;
    },
    async *from(head) {
      yield head;
      yield* chunks;
      // Its number may have come after the bytes.
      if (partNumber === 1 && head.length > 0) formats.refuseAtOnce(head);
    },
    received: () => ({ upload, partNumber }),
    heading() {
      if (upload === undefined) throw invalid("give the key of the upload session as key");
      if (partNumber === 0) throw invalid(numberSentence);
      if (size === 0) throw invalid("the part is empty; send its bytes as file");
      return { upload, partNumber, checksum };
    },
  };
}

const numberSentence = `give the number of the part as partNumber, from 1 to ${maxPartNumber}`;

function partSizeSentence(maxBytes: number): string {
  const max = `${Math.floor(maxBytes / 2 ** 20)} MB`;
  return `the part is larger than ${max}, the most that one part may have; send the document in smaller parts`;
}

/** True if the field is given for the first time. Throws if it was given with another value. */
function agreed(name: string, before: string | number, now: string | number): boolean {
  if (before !== "" && before !== now) throw invalid(`${name} is given twice`);
  return before === "";
}
