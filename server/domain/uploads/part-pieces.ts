import { readHead } from "../documents/read-head.ts";
import { invalid, tooLarge } from "../errors.ts";
import type { DocumentFormats } from "../ports/formats.ts";
import type { Upload } from "./upload.ts";

/** A piece of a part as it comes in. What it says may come in any piece and again, the bytes come in order. */
export interface PartPiece {
  /** Empty: not said in this piece. */
  readonly key: string;
  /** 0: not said in this piece. */
  readonly partNumber: number;
  /** SHA-256 of the whole part, hexadecimal. Empty: not said in this piece. */
  readonly checksum: string;
  /** The next bytes; may be empty. Valid until the next piece is asked for. */
  readonly file: Uint8Array;
}

export interface ReceivedPart {
  /** The first bytes; fewer than identify a document only if the part is shorter. */
  head(): Promise<Uint8Array>;
  /** All bytes, of which `head` has been read. */
  from(head: Uint8Array): AsyncGenerator<Uint8Array>;
  /** What the part has said of itself so far; 0: not its number. */
  said(): { readonly upload: Upload | undefined; readonly partNumber: number };
  /** What the part has said of itself; complete when its bytes have been read to their end. Throws `invalid`. */
  heading(): PartHeading;
}

export interface PartHeading {
  readonly upload: Upload;
  readonly partNumber: number;
  /** Hexadecimal, lower case; empty: not said. */
  readonly checksum: string;
}

/** The contract's 100 MB, read in the larger of the two ways. */
export const maxPartBytes = 100 * 2 ** 20;
/** As many as S3 takes, which others know. */
const maxPartNumber = 10_000;

interface PartRules {
  /** The session of a key. */
  readonly find: (key: string) => Promise<Upload>;
  readonly formats: Pick<DocumentFormats, "refuseAtOnce">;
  readonly maxBytes: number;
}

/**
 * Reads the pieces of a part. Its session is looked up with `find` as soon as its key is known, the number is checked,
 * the first part is refused if it cannot be the beginning of a document, and the size is watched on the way, so that
 * what will not be taken is not waited for.
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
      // Its number may have come behind the bytes.
      if (partNumber === 1 && head.length > 0) formats.refuseAtOnce(head);
    },
    said: () => ({ upload, partNumber }),
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

/** True if this is the first time that something is said. Throws if it has been said otherwise. */
function agreed(name: string, before: string | number, now: string | number): boolean {
  if (before !== "" && before !== now) throw invalid(`${name} is given twice`);
  return before === "";
}
