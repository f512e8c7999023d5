import { readHead } from "../documents/source.ts";
import { invalid, tooLarge } from "../errors.ts";
import type { JobView } from "../jobs/view.ts";
import { type DatasetMetadata, noMetadata, readMetadata } from "./metadata.ts";
import type { IfExists } from "./same-content.ts";
import { type SizeLimit, tooLargeSentence } from "../plans/plan.ts";

/**
 * A piece of an upload as it arrives. Settings may come in any piece; the bytes come in order. A setting that is
 * empty or undefined is absent from this piece.
 */
export interface UploadPiece {
  /** The next bytes; may be empty. Valid until the next piece is requested. */
  readonly file: Uint8Array;
  /** A name without a url means that there is a file, even if no bytes follow. */
  readonly fileName: string;
  readonly url: string;
  /** Days; -1 for never. */
  readonly expiresInDays: number | undefined;
  /** JSON of the dataset's metadata. */
  readonly metadata?: unknown;
  readonly callbackUrl: string;
  readonly ifExists?: IfExists | undefined;
  /** Hexadecimal. */
  readonly sha256?: string;
  /** The dataset that gets this as a new version. */
  readonly datasetId?: string;
  /** Whether a new version is made searchable. */
  readonly vectorize?: boolean | undefined;
}

/** The settings of an upload; complete when its bytes have been read to the end. */
export interface UploadSettings {
  readonly fileName: string;
  /** Empty if the document is sent as a file. */
  readonly url: string;
  readonly expiresInDays: number | undefined;
  readonly metadata: DatasetMetadata;
  /** Empty if nobody is notified when the job ends. */
  readonly callbackUrl: string;
  readonly ifExists: IfExists;
  /** SHA-256 of the file, hexadecimal, lower case; empty if not given. */
  readonly sha256: string;
  /** The dataset that gets this as a new version; empty for a new document. */
  readonly datasetId: string;
  /** Undefined to treat it like the previous version. */
  readonly vectorize: boolean | undefined;
}

export interface ReceivedUpload {
  readonly settings: UploadSettings;
  /** The job of a document with the same bytes; if there is one, nothing more is read. */
  readonly found: JobView | undefined;
  /**
   * Reads the first bytes, enough to identify the document (fewer only if it is shorter, none if it is to be
   * fetched or `found`). Throws `invalid` if there is neither file nor url.
   */
  head(): Promise<Uint8Array>;
  /** All bytes, beginning with the `head` that has been read. */
  from(head: Uint8Array): AsyncGenerator<Uint8Array>;
}

interface ReceiveOptions {
  readonly limit: SizeLimit;
  /**
   * Finds a document by the SHA-256 that precedes the bytes, if the upload asks for an existing one to be returned.
   */
  findSame(settings: UploadSettings): Promise<JobView | undefined>;
}

/** Reads the pieces of an upload: streams its bytes, collects its settings and checks its size on the way. */
export function receivePieces(pieces: AsyncIterable<UploadPiece>, { limit, findSame }: ReceiveOptions): ReceivedUpload {
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
  let isIfExistsSet = false;
  let isLookedUp = false;
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
      if (piece.ifExists !== undefined && !isIfExistsSet) {
        settings.ifExists = piece.ifExists;
        isIfExistsSet = true;
      }
      settings.sha256 ||= (piece.sha256 ?? "").toLowerCase();
      settings.datasetId ||= piece.datasetId ?? "";
      settings.vectorize ??= piece.vectorize;
      if (piece.url !== "" && settings.url !== "") throw invalid("url is given twice");
      settings.url ||= piece.url;
      size += piece.file.length;
      if (size > 0 && settings.url !== "") throw invalid("give either file or url, not both");
      refuseSameness(settings);
      if (size === 0 && !isLookedUp && settings.ifExists === "return" && settings.sha256 !== "") {
        isLookedUp = true;
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
          isLookedUp
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

/** The bytes at a URL are known only once its job has fetched them, after the answer. */
function refuseSameness({ url, ifExists, sha256 }: UploadSettings): void {
  if (url === "") return;
  if (ifExists === "return") {
    throw invalid('ifExists "return" is about a file: what is at a url is fetched after the answer; leave it out');
  }
  if (sha256 !== "") throw invalid("sha256 is that of a file; leave it out with a url");
}
