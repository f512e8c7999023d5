import { fromJson, type JsonValue } from "@bufbuild/protobuf";
import { runtime } from "#runtime";
import type { Connection, RequestOptions } from "../connection.ts";
import { DrsError } from "../errors.ts";
import { JobSchema } from "../gen/drs/v1/jobs_pb.ts";
import { type Job, jobOf } from "../jobs/job.ts";
import type { Document, UploadProgress } from "./form.ts";

/** A path (Node only), a File or Blob, bytes, or a stream of bytes. */
export type UploadSource = string | Blob | Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array>;

export interface UploadOptions extends RequestOptions {
  /** Makes every page searchable as well. */
  readonly vectorize?: boolean | undefined;
  /** Days from now until the dataset expires; -1: never. Default: never. */
  readonly expiresInDays?: number | undefined;
  /** Default: the name of the file, or "document". */
  readonly fileName?: string | undefined;
  readonly onProgress?: ((progress: UploadProgress) => void) | undefined;
}

/** Sends a document over REST, in pieces; from a path or a stream memory does not grow with its size. */
export async function uploadDocument(
  connection: Connection,
  source: UploadSource,
  { vectorize = false, expiresInDays, fileName, signal, onProgress }: UploadOptions = {},
): Promise<Job> {
  signal?.throwIfAborted();
  const document = await documentOf(source);
  const form = {
    fields: expiresInDays === undefined ? [] : ([["expiresInDays", String(expiresInDays)]] as const),
    file: { ...document, fileName: fileName ?? document.fileName },
  };
  const path = vectorize ? "/v1/vectorize" : "/v1/extract";
  const answer = await runtime.sendForm(connection, path, form, { signal, onProgress });
  return acceptedJob(answer);
}

/** The name of a document that came without one. */
const nameless = "document";

async function documentOf(source: UploadSource): Promise<Document> {
  if (typeof source === "string") return runtime.openPath(source);
  if (source instanceof Blob) {
    const fileName = "name" in source && typeof source.name === "string" ? source.name : nameless;
    return { fileName, mimeType: source.type, size: source.size, content: source };
  }
  if (source instanceof Uint8Array) {
    return { fileName: nameless, mimeType: "", size: source.byteLength, content: new Blob([source]) };
  }
  return { fileName: nameless, mimeType: "", size: undefined, content: piecesOf(source) };
}

/** Not every browser can iterate a stream. */
async function* piecesOf(stream: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array, void, undefined> {
  const reader = stream.getReader();
  try {
    while (true) {
      const { done, value } = await reader.read();
      if (done) return;
      yield value;
    }
  } finally {
    // Reached early when the upload fails: lets the source stop.
    await reader.cancel();
  }
}

function acceptedJob(answer: unknown): Job {
  if (typeof answer === "object" && answer !== null && "data" in answer && isJson(answer.data)) {
    return jobOf(fromJson(JobSchema, answer.data, { ignoreUnknownFields: true }));
  }
  throw new DrsError({ code: "internal", message: "the server accepted the upload but answered without its job" });
}

/** What `JSON.parse` gives is JSON unless it is absent. */
function isJson(value: unknown): value is JsonValue {
  return value !== undefined;
}
