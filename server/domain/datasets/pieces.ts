import { readHead } from "../documents/read-head.ts";
import { invalid, tooLarge } from "../errors.ts";
import type { JobView } from "../jobs/view.ts";
import { type DatasetMetadata, noMetadata, readMetadata } from "./metadata.ts";
import type { IfExists } from "./same-content.ts";
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
  /** Undefined: not said in this piece. */
  readonly ifExists?: IfExists | undefined;
  /** Hexadecimal; empty: not said in this piece. */
  readonly sha256?: string;
  /** The dataset whose new version it is; empty: not said in this piece. */
  readonly datasetId?: string;
  /** Whether a new version is made searchable; undefined: not said in this piece. */
  readonly vectorize?: boolean | undefined;
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
  readonly ifExists: IfExists;
  /** Of the file's bytes, hexadecimal, lower case; empty: not said. */
  readonly sha256: string;
  /** Empty: the document is no new version of another. */
  readonly datasetId: string;
  /** Undefined: as the version before. */
  readonly vectorize: boolean | undefined;
}

export interface ReceivedUpload {
  readonly settings: UploadSettings;
  /** The job of a document with the same bytes: nothing more is read. */
  readonly found: JobView | undefined;
  /**
   * The first bytes, enough to identify the document (fewer only if it is shorter, none if it is to be fetched or `found`).
   * Throws `invalid` if there is neither file nor url.
   */
  head(): Promise<Uint8Array>;
  /** All bytes, of which `head` has been read. */
  from(head: Uint8Array): AsyncGenerator<Uint8Array>;
}

interface Receiving {
  readonly limit: SizeLimit;
  /** Finds a document by the SHA-256 that the upload names in front of its bytes, if it wants that one returned. */
  findSame(settings: UploadSettings): Promise<JobView | undefined>;
}

/** Reads the pieces of an upload: its bytes as a stream, its settings as they come, its size checked on the way. */
export function receivePieces(pieces: AsyncIterable<UploadPiece>, { limit, findSame }: Receiving): ReceivedUpload {
  const settings: { -readonly [Name in keyof UploadSettings]: UploadSettings[Name] } = {
    fileName: "",
    url: "",
    expiresInDays: undefined,
    metadata: noMetadata,
    callbackUrl: "",
    ifExists: "create",
    sha256: "",
    datasetId: "",
    vectorize: undefined,
  };
  let isExistsSaid = false;
  let isAsked = false;
  let found: JobView | undefined;
  const chunks = bytes();
  let size = 0;

  async function* bytes(): AsyncGenerator<Uint8Array, undefined> {
    for await (const piece of pieces) {
      settings.fileName ||= piece.fileName;
      settings.expiresInDays ??= piece.expiresInDays;
      if (piece.metadata !== undefined && settings.metadata === noMetadata)
        settings.metadata = readMetadata(piece.metadata);
      settings.callbackUrl ||= piece.callbackUrl;
      if (piece.ifExists !== undefined && !isExistsSaid) {
        settings.ifExists = piece.ifExists;
        isExistsSaid = true;
      }
      settings.sha256 ||= (piece.sha256 ?? "").toLowerCase();
      settings.datasetId ||= piece.datasetId ?? "";
      settings.vectorize ??= piece.vectorize;
      if (piece.url !== "" && settings.url !== "") throw invalid("url is given twice");
      settings.url ||= piece.url;
      size += piece.file.length;
      if (size > 0 && settings.url !== "") throw invalid("give either file or url, not both");
      refuseSameness(settings);
      if (size === 0 && !isAsked && settings.ifExists === "return" && settings.sha256 !== "") {
        isAsked = true;
        found = await findSame(settings);
        if (found !== undefined) return undefined;
      }
      if (size > limit.maxBytes) throw tooLarge(tooLargeSentence("the file", limit), { reason: "DOCUMENT_TOO_LARGE" });
      if (piece.file.length > 0) yield piece.file;
    }
    return undefined;
  }

  return {
    settings,
    get found() {
      return found;
    },
    async head() {
      const head = await readHead(chunks);
      if (found === undefined && head.length === 0 && settings.fileName === "" && settings.url === "") {
        throw invalid(
          isAsked
            ? `there is no dataset with the SHA-256 ${settings.sha256}; give the document as file`
            : "give the document as file, or the address of one as url",
        );
      }
      return head;
    },
    async *from(head) {
      yield head;
      yield* chunks;
    },
  };
}

/** The bytes of an address are known only once its job has fetched them, after the answer. */
function refuseSameness({ url, ifExists, sha256 }: UploadSettings): void {
  if (url === "") return;
  if (ifExists === "return") {
    throw invalid('ifExists "return" is about a file: what is at a url is fetched after the answer; leave it out');
  }
  if (sha256 !== "") throw invalid("sha256 is that of a file; leave it out with a url");
}
