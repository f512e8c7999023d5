import { runtime } from "#runtime";
import { type Connection, newIdempotencyKey } from "../connection.ts";
import type { Job } from "../jobs/job.ts";
import { type FormFile, jobOfAnswer } from "./form.ts";
import type { UploadSettings } from "./options.ts";
import { createMeter } from "./progress.ts";
import { createRetrier, mayRepeat } from "./retry.ts";

/**
 * Sends a document in one request. All tries use the same idempotency key: if only the response was lost, the next try
 * gets it, and the document is stored once.
 */
export async function sendInSingleRequest(
  connection: Connection,
  file: FormFile,
  settings: UploadSettings,
): Promise<Job> {
  const { signal, onProgress, idempotencyKey = newIdempotencyKey() } = settings;
  const { size } = file.bytes;
  const meter = createMeter({ totalBytes: size, onProgress });
  const sha256 = settings.ifExists === "return" ? await runtime.sha256(file.bytes) : undefined;
  const sum = sha256 === undefined ? [] : ([["sha256", sha256]] as const);
  const form = { fields: [...settingFields(settings), ...sum], file };
  const { answer } = await createRetrier(settings.retry, signal).run(
    () =>
      runtime.sendForm(connection, pathOf(settings), form, {
        method: settings.datasetId === undefined ? "POST" : "PUT",
        signal,
        silenceMs: settings.retry.silenceMs,
        idempotencyKey,
        onSent: (sentBytes) => meter.sending(1, sentBytes),
      }),
    mayRepeat,
  );
  meter.arrived(1, size);
  meter.complete();
  return jobOfAnswer(answer);
}

/** Lets the service fetch the document; the job reports the progress. Retries use the same idempotency key. */
export async function sendAddress(connection: Connection, url: URL, settings: UploadSettings): Promise<Job> {
  if (!/^https?:$/.test(url.protocol)) {
    throw new TypeError(`the service fetches http and https addresses only, not ${url.protocol}; pass a path as text`);
  }
  const { signal, fileName, idempotencyKey = newIdempotencyKey() } = settings;
  const named = fileName === undefined ? [] : ([["fileName", fileName]] as const);
  const form = { fields: [["url", url.href], ...named, ...settingFields(settings)], file: undefined } as const;
  const { answer } = await createRetrier(settings.retry, signal).run(
    () =>
      runtime.sendForm(connection, pathOf(settings), form, {
        method: settings.datasetId === undefined ? "POST" : "PUT",
        signal,
        silenceMs: settings.retry.silenceMs,
        idempotencyKey,
        onSent: () => undefined,
      }),
    mayRepeat,
  );
  return jobOfAnswer(answer);
}

function pathOf({ datasetId, vectorize = false }: UploadSettings): string {
  if (datasetId !== undefined) return `/v1/datasets/${encodeURIComponent(datasetId)}/file`;
  return vectorize ? "/v1/vectorize" : "/v1/extract";
}

function settingFields(settings: UploadSettings): readonly (readonly [string, string])[] {
  const { datasetId, vectorize, expiresInDays, metadata, callbackUrl, ifExists } = settings;
  return [
    ...(datasetId === undefined || vectorize === undefined ? [] : [["vectorize", String(vectorize)] as const]),
    ...(expiresInDays === undefined ? [] : [["expiresInDays", String(expiresInDays)] as const]),
    ...(metadata === undefined ? [] : [["metadata", JSON.stringify(metadata)] as const]),
    ...(callbackUrl === undefined ? [] : [["callbackUrl", callbackUrl] as const]),
    ...(ifExists === undefined ? [] : [["ifExists", ifExists] as const]),
  ];
}
