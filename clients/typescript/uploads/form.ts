import type { Connection } from "../connection.ts";
import type { Bytes, StoredDocument } from "./bytes.ts";
import { fromJson, type JsonValue } from "@bufbuild/protobuf";
import { DrsError, errorFromResponse } from "../errors.ts";
import { JobSchema } from "../gen/drs/v1/jobs_pb.ts";
import { type Job, jobOf } from "../jobs/job.ts";

/** The contents of a multipart request; the fields come before the file. */
export interface UploadForm {
  readonly fields: readonly (readonly [name: string, value: string])[];
  /** Undefined if there are only fields. */
  readonly file: FormFile | undefined;
  /** Name of a field for the SHA-256 of the file's bytes, hexadecimal; undefined if it is not wanted. */
  readonly checksumField?: string | undefined;
}

export interface FormFile {
  readonly fileName: string;
  /** Media type; empty if not known. */
  readonly mimeType: string;
  readonly bytes: Bytes;
}

export interface SendOptions {
  /** Default: POST. */
  readonly method?: "POST" | "PUT" | undefined;
  readonly signal: AbortSignal | undefined;
  /** A connection that is idle for longer counts as dead, milliseconds. */
  readonly silenceMs: number;
  /** Makes the service run the request only once; undefined if it can be repeated safely. */
  readonly idempotencyKey?: string | undefined;
  /** Called with the bytes of the file that have been handed to the connection so far. */
  readonly onSent: (sentBytes: number) => void;
}

export interface Sent {
  /** The parsed body of the response. */
  readonly answer: unknown;
  /**
   * SHA-256 of the file's bytes as they were sent; undefined if it is not wanted, or this runtime cannot compute it.
   */
  readonly sha256: string | undefined;
}

/** The differences between Node and browsers. */
export interface Runtime {
  /** Opens the document at a path. It fails in browsers, which have no file system. */
  openPath(path: string): Promise<StoredDocument>;
  /** Sends the form to a path of the service. Throws `DrsError`; an abort rejects with the reason of the signal. */
  sendForm(connection: Connection, path: string, form: UploadForm, options: SendOptions): Promise<Sent>;
  /** Returns the SHA-256, hexadecimal; undefined if this runtime cannot compute it. */
  sha256(bytes: Bytes): Promise<string | undefined>;
}

/** A response that did not come from fetch. */
interface RawAnswer {
  readonly status: number;
  readonly statusText: string;
  readonly text: string;
  header(name: string): string | null | undefined;
}

/** The headers that describe an error. */
const usefulHeaders = ["x-request-id", "retry-after"];

/** Returns the parsed body. Throws `DrsError` for anything but success. */
export async function readAnswer({ status, statusText, text, header }: RawAnswer): Promise<unknown> {
  const headers = new Headers();
  for (const name of usefulHeaders) {
    const value = header(name);
    if (typeof value === "string") headers.set(name, value);
  }
  const response = new Response(text === "" ? null : text, { status, statusText, headers });
  if (!response.ok) throw await errorFromResponse(response);
  return readJson(response);
}

/** Returns the parsed body of a successful response. */
export async function readJson(response: Response): Promise<unknown> {
  try {
    return await response.json();
  } catch (cause) {
    throw new DrsError({
      code: "internal",
      message: "the server accepted the upload but answered with something else than JSON; check its address",
      cause,
    });
  }
}

/** Returns the data of a REST response. */
export function dataOf(answer: unknown): JsonValue {
  if (typeof answer === "object" && answer !== null && "data" in answer && isJson(answer.data)) return answer.data;
  throw new DrsError({ code: "internal", message: "the server accepted the upload but answered without its result" });
}

/** Returns the job that an upload started. */
export function jobOfAnswer(answer: unknown): Job {
  return jobOf(fromJson(JobSchema, dataOf(answer), { ignoreUnknownFields: true }));
}

/** Any result of `JSON.parse` is JSON unless it is missing. */
function isJson(value: unknown): value is JsonValue {
  return value !== undefined;
}
