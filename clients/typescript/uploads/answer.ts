import { fromJson, type JsonValue } from "@bufbuild/protobuf";
import { DrsError, errorFromResponse } from "../errors.ts";
import { JobSchema } from "../gen/drs/v1/jobs_pb.ts";
import { type Job, jobOf } from "../jobs/job.ts";

/** A response that did not come from fetch. */
export interface RawAnswer {
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
