import { readHead } from "../documents/read-head.ts";
import { invalid, tooLarge } from "../errors.ts";
import { type DatasetMetadata, noMetadata, readMetadata } from "./metadata.ts";
import { type SizeLimit, tooLargeSentence } from "../plans/allowance.ts";

/** A piece of an upload as it comes in. Settings may come in any piece, the bytes come in order. */
export interface UploadPiece {
  /** The next bytes; may be empty. Valid until the next piece is asked for. */
  readonly file: Uint8Array;
  /** Empty: not said in this piece. A name without a url says that there is a file, even if no bytes follow. */
  readonly fileName: string;
  /** Empty: not said in this piece. */
  readonly url: string;
  /** Days; -1: never. */
  readonly expiresInDays: number | undefined;
  /** JSON of the dataset's metadata; undefined: not said in this piece. */
  readonly metadata?: unknown;
  /** Empty: not said in this piece. */
  readonly callbackUrl: string;
}

/** What an upload says besides its bytes; complete when the bytes have been read to their end. */
export interface UploadSettings {
  readonly fileName: string;
  /** Empty: the document is sent as a file. */
  readonly url: string;
  readonly expiresInDays: number | undefined;
  readonly metadata: DatasetMetadata;
  /** Empty: nobody is told of the job's end. */
  readonly callbackUrl: string;
}

export interface ReceivedUpload {
  readonly settings: UploadSettings;
  /**
   * The first bytes, enough to identify the document (fewer only if it is shorter, none if it is to be fetched).
   * Throws `invalid` if there is neither file nor url.
   */
  head(): Promise<Uint8Array>;
  /** All bytes, of which `head` has been read. */
  from(head: Uint8Array): AsyncGenerator<Uint8Array>;
}

/** Reads the pieces of an upload: its bytes as a stream, its settings as they come, its size checked on the way. */
export function receivePieces(pieces: AsyncIterable<UploadPiece>, limit: SizeLimit): ReceivedUpload {
  const settings: { -readonly [Name in keyof UploadSettings]: UploadSettings[Name] } = {
    fileName: "",
    url: "",
    expiresInDays: undefined,
    metadata: noMetadata,
    callbackUrl: "",
  };
  const chunks = bytes();
  let size = 0;

  async function* bytes(): AsyncGenerator<Uint8Array, undefined> {
    for await (const piece of pieces) {
      settings.fileName ||= piece.fileName;
      settings.expiresInDays ??= piece.expiresInDays;
      if (piece.metadata !== undefined && settings.metadata === noMetadata)
        settings.metadata = readMetadata(piece.metadata);
      settings.callbackUrl ||= piece.callbackUrl;
      if (piece.url !== "" && settings.url !== "") throw invalid("url is given twice");
      settings.url ||= piece.url;
      size += piece.file.length;
      if (size > 0 && settings.url !== "") throw invalid("give either file or url, not both");
      if (size > limit.maxBytes) throw tooLarge(tooLargeSentence("the file", limit));
      if (piece.file.length > 0) yield piece.file;
    }
    return undefined;
  }

  return {
    settings,
    async head() {
      const head = await readHead(chunks);
      if (head.length === 0 && settings.fileName === "" && settings.url === "") {
        throw invalid("give the document as file, or the address of one as url");
      }
      return head;
    },
    async *from(head) {
      yield head;
      yield* chunks;
    },
  };
}
