import { randomBytes } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll } from "vitest";
import { connect } from "../connection.ts";
import type { Job } from "../jobs/job.ts";
import type { UploadOptions } from "../uploads/options.ts";
import { defaultRetrySettings } from "../uploads/retry.ts";
import type { UploadSource } from "../uploads/source.ts";
import { uploadDocument } from "../uploads/upload-document.ts";
import { uploadService, type UploadTestService } from "./upload-service.ts";

export const partBytes = 5 * 2 ** 20;
/** Three parts and a bit. */
export const content = randomBytes(3 * partBytes + 12_345);

/** Retry settings without the long pauses for a real service. */
export const hasty = { ...defaultRetrySettings, firstPauseMs: 1, maxPauseMs: 5 };

interface PartUploads {
  /** A folder for the tests. */
  readonly folder: string;
  /** Path of `content` as a file in it, book.pdf. */
  readonly path: string;
  /** Starts a service that is closed after the test. */
  service(options?: Parameters<typeof uploadService>[0]): Promise<UploadTestService>;
}

/** Sets up tests of uploads in parts. To be called where tests are described. */
export function usePartUploads(): PartUploads {
  const open: UploadTestService[] = [];
  let folder = "";
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "drs-parts-"));
    await writeFile(join(folder, "book.pdf"), content);
  });
  afterAll(() => rm(folder, { recursive: true }));
  afterEach(async () => {
    await Promise.all(open.splice(0).map((service) => service.close()));
  });
  return {
    get folder() {
      return folder;
    },
    get path() {
      return join(folder, "book.pdf");
    },
    async service(options = {}) {
      const started = await uploadService(options);
      open.push(started);
      return started;
    },
  };
}

/** Uploads in parts of the minimum size, unless the options say otherwise. */
export function uploadTo({ url }: UploadTestService, source: UploadSource, options: UploadOptions = {}): Promise<Job> {
  const inParts = { singleRequestBytes: 0, partBytes };
  return uploadDocument(connect({ server: url }), source, { ...inParts, ...options }, hasty);
}

/** Returns the parts that were sent, including those that were sent again. */
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
