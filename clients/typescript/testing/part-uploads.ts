import { randomBytes } from "node:crypto";
import { connect } from "../connection.ts";
import type { Job } from "../jobs/job.ts";
import type { UploadOptions } from "../uploads/options.ts";
import { defaultRetrySettings } from "../uploads/retry.ts";
import type { UploadSource } from "../uploads/source.ts";
import { uploadDocument } from "../uploads/upload-document.ts";
import type { UploadTestService } from "./upload-service.ts";

export const partBytes = 5 * 2 ** 20;
/** Three parts and a bit. */
export const content = randomBytes(3 * partBytes + 12_345);

/** Without the pauses that a real service is owed. */
export const hasty = { ...defaultRetrySettings, firstPauseMs: 1, longestPauseMs: 5 };

/** Uploads in parts of the least size, unless the options say otherwise. */
export function uploadTo({ url }: UploadTestService, source: UploadSource, options: UploadOptions = {}): Promise<Job> {
  const inParts = { singleRequestBytes: 0, partBytes };
  return uploadDocument(connect({ server: url }), source, { ...inParts, ...options }, hasty);
}

/** The parts that were sent, those sent again as often as they came. */
export function appendsOf({ requests }: UploadTestService): string[] {
  return requests.filter((name) => name.startsWith("append")).sort();
}

export function streamOf(bytes: Uint8Array, chunkBytes: number): ReadableStream<Uint8Array> {
  return ReadableStream.from(
    (function* () {
      for (let at = 0; at < bytes.length; at += chunkBytes) yield Uint8Array.from(bytes.subarray(at, at + chunkBytes));
    })(),
  );
}
