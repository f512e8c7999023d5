import { createHash } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { makePdf } from "../../../fixtures/pdf.ts";
import { type Answer, type Caller, member } from "./caller.ts";

/** A document that the server has said to have. */
export interface Known {
  readonly datasetId: string;
  readonly jobId: string;
  readonly sha256: string;
  readonly words: readonly string[];
  readonly isVectorized: boolean;
  /** Its deletion has been asked for, so that it may be gone. */
  mayBeGone?: boolean;
  /** Its deletion has been answered. */
  isGone?: boolean;
}

const pagesPerDocument = 3;
/** The least that a part may have which is not the last. */
const partBytes = 5_000_000;

/** One word per page that no stemmer changes. */
const wordOf = (at: number, page: number): string =>
  `chapter${Array.from(`${at}${page}`, (digit) => "bcdfghjklm"[Number(digit)]).join("")}zq`;

/**
 * Uploads, whole and in parts, vectorizes, searches, looks at pages and deletes, and notes what has been answered. Ends when
 * all is done, or with the error of the call during which the server died.
 */
export async function live(caller: Caller, known: Known[], first: number): Promise<void> {
  for (let at = first; at < first + documentsPerLife; at++) {
    const isVectorized = at % 4 !== 1;
    const words = Array.from({ length: pagesPerDocument }, (_, index) => wordOf(at, index + 1));
    const isInParts = at % 4 === 3;
    const pages = words.map((word) => ({ text: `About ${word}\nand a harbour.` }));
    const file = makePdf({ pages: isInParts ? [...pages, { operators: `%${"x".repeat(partBytes)}` }] : pages });
    const upload = isInParts ? uploadInParts : uploadWhole;
    const { datasetId, jobId } = await upload(caller, file, isVectorized ? "vectorize" : "extract");
    const sha256 = createHash("sha256").update(file).digest("hex");
    known.push({ datasetId, jobId, sha256, words, isVectorized });
    // Some deletions come while their job is at work.
    if (at % 5 !== 3) await jobEnd(caller, jobId);
    if (at % 3 === 0) await lookAtPage(caller, datasetId);
    if (at % 5 >= 3) await removeOne(caller, known);
  }
  // Maintenance, renditions made in advance and the removal of what was deleted.
  await sleep(2_000);
}

export const documentsPerLife = 5;

interface Uploaded {
  readonly datasetId: string;
  readonly jobId: string;
}

const uploadedOf = ({ data }: Answer): Uploaded => ({
  datasetId: String(member(data, "datasetId")),
  jobId: String(member(data, "id")),
});

async function uploadWhole(caller: Caller, file: Uint8Array, type: string): Promise<Uploaded> {
  return uploadedOf(succeeded(await caller.postForm(type, { file })));
}

async function uploadInParts(caller: Caller, file: Uint8Array, type: string): Promise<Uploaded> {
  const fields = { fileName: "document.pdf", fileExt: "pdf", fileType: "application/pdf", jobType: type };
  const key = String(member(succeeded(await caller.postForm("upload-session/start", fields)).data, "key"));
  for (const [index, part] of [file.subarray(0, partBytes), file.subarray(partBytes)].entries()) {
    const partNumber = String(index + 1);
    succeeded(await caller.postForm("upload-session/append", { key, partNumber, file: part }));
  }
  return uploadedOf(succeeded(await caller.postForm("upload-session/end", { key })));
}

/** The job's state once it has ended. */
export async function jobEnd(caller: Caller, jobId: string, withinMs = 90_000): Promise<unknown> {
  const until = performance.now() + withinMs;
  for (;;) {
    const { data } = succeeded(await caller.get(`jobs/${jobId}`));
    const status = member(data, "status");
    if (status === "SUCCESS" || status === "ERROR" || performance.now() > until) return status;
    await sleep(50);
  }
}

async function lookAtPage(caller: Caller, datasetId: string): Promise<void> {
  const { data } = succeeded(await caller.get(`datasets/${datasetId}/items?row=jpg&limit=1`));
  const [item]: unknown[] = Array.isArray(data) ? data : [];
  // The job has not come to the first page yet.
  if (item === undefined) return;
  const response = await fetch(String(member(member(item, "share"), "url")));
  await response.arrayBuffer();
}

async function removeOne(caller: Caller, known: readonly Known[]): Promise<void> {
  const one = known.findLast(({ mayBeGone }) => mayBeGone !== true);
  if (one === undefined) return;
  one.mayBeGone = true;
  succeeded(await caller.remove(`datasets/${one.datasetId}`));
  one.isGone = true;
}

/** The answer, if it is one. */
export function succeeded(answer: Answer): Answer {
  if (answer.status >= 300) throw new Error(`answered ${answer.status}: ${String(answer.error)}`);
  return answer;
}
