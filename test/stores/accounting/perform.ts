import { writeFile } from "node:fs/promises";
import { hostname } from "node:os";
import { join } from "node:path";
import { deleteDataset } from "../../../server/domain/datasets/delete.ts";
import { uploadDocument } from "../../../server/domain/datasets/upload.ts";
import { DomainError, invalid } from "../../../server/domain/errors.ts";
import { cancelJob } from "../../../server/domain/jobs/control.ts";
import { abortUpload, endUpload } from "../../../server/domain/uploads/end.ts";
import { appendPart } from "../../../server/domain/uploads/append.ts";
import { startUpload } from "../../../server/domain/uploads/start.ts";
import { DocumentError } from "../../../server/pipeline/errors.ts";
import { fetchOriginal } from "../../../server/pipeline/jobs/document/fetch.ts";
import { keepConverted } from "../../../server/pipeline/jobs/document/convert.ts";
import { holdLease, LeaseLost, leaseMs } from "../../../server/pipeline/jobs/lease.ts";
import type { Act } from "./acts.ts";
import { bytesOf, CutOff, partPieces, uploadPieces } from "./documents.ts";
import type { Machine, Process } from "./machine.ts";

/** Does it, and takes it when the service refuses or the process dies. Throws what should not happen. */
export async function perform(machine: Machine, act: Act): Promise<void> {
  const { now } = machine;
  try {
    await attempt(machine, now, act);
  } catch (cause) {
    const isRefusal = cause instanceof DomainError || cause instanceof LeaseLost || cause instanceof CutOff;
    if (!isRefusal && !now.life.isOver()) throw cause;
  }
}

async function attempt(machine: Machine, process: Process, act: Act): Promise<unknown> {
  const { caller } = machine;
  const { domain, life } = process;
  const { signal } = new AbortController();
  const asUpload = { type: "datasets/extract", ids: undefined, minFileBytes: 0 } as const;
  switch (act.act) {
    case "upload": {
      const input = { ...asUpload, pieces: uploadPieces(act, life, act.days) };
      return uploadDocument(domain, { caller, input, signal });
    }
    case "upload from an address": {
      const piece = {
        file: new Uint8Array(),
        fileName: "",
        url: "https://example.org/a.docx",
        expiresInDays: undefined,
        callbackUrl: "",
      };
      return uploadDocument(domain, { caller, input: { ...asUpload, pieces: once(piece) }, signal });
    }
    case "start": {
      const described = { fileName: "a.pdf", fileExt: "pdf", jobType: "datasets/extract" } as const;
      const anew = { ifExists: "create", sha256: "" } as const;
      const input = {
        ...described,
        key: undefined,
        datasetId: "",
        expiryInDays: undefined,
        fileSize: act.size,
        callbackUrl: "",
        ...anew,
      };
      return startUpload(domain, { caller, input });
    }
    case "part": {
      const pieces = partPieces(act, life, await session(machine, act.target));
      return appendPart(domain, { caller, input: { pieces }, signal });
    }
    case "end": {
      const input = { key: await session(machine, act.target), parts: [], checksum: "" };
      return endUpload(domain, { caller, input, signal });
    }
    case "abort":
      return abortUpload(domain, { caller, input: { key: await session(machine, act.target) } });
    case "work":
      return work(machine, process, act);
    case "delete": {
      const { data } = await machine.metadata.datasets.list({ ...anything(machine), types: [], sha256: [], sort: [] });
      return deleteDataset(domain, { caller, input: { id: pick(data, act.target)?.id ?? "" } });
    }
    case "cancel": {
      const { data } = await machine.metadata.jobs.list({ ...anything(machine), statuses: [], finishedSince: 0 });
      return cancelJob(domain, { caller, input: { id: pick(data, act.target)?.id ?? "" } });
    }
    case "sweep":
      return process.sweep();
    case "wait":
      machine.time += act.hours * 3_600_000;
      return undefined;
    case "limit":
      return machine.setLimit(act.bytes);
  }
}

/** A process of this host that has ended: no process has the number 0. */
const worker = `${hostname()}:0:worker`;

/** Does the storing work of the worker for the next job: it fetches awaited files, and converts. */
async function work(machine: Machine, { domain, life }: Process, act: Extract<Act, { act: "work" }>): Promise<void> {
  const { metadata, blobs, clock } = domain;
  const claimed = await metadata.jobs.claim(worker, leaseMs, clock());
  if (claimed === undefined) return;
  const { job, lease } = claimed;
  const held = holdLease(metadata.jobs, lease);
  const end = (status: "SUCCESS" | "ERROR", statusText = ""): Promise<void> =>
    held.confirm(metadata.jobs.finish(lease, { status, statusText }, clock()));
  try {
    const dataset = await metadata.datasets.getUnscoped(job.datasetId, clock());
    if (dataset === undefined) return await end("ERROR", "the dataset no longer exists");
    const address = await metadata.fetches.get(dataset.id);
    if (address !== undefined) {
      const body = bytesOf(act, life, () => invalid("the other side broke off"));
      const remoteFiles = { ...domain.remoteFiles, open: async () => ({ fileName: "", size: undefined, body }) };
      const context = { metadata, blobs, remoteFiles, clock, settings: { maxDocumentBytes: 1e9 } };
      await fetchOriginal(context, { dataset, address, held, signal: held.lost });
    } else if (dataset.fileExt === "docx") {
      const file = join(machine.scratch, `${job.id}.pdf`);
      await writeFile(file, Buffer.alloc(act.size));
      await keepConverted(domain, { dataset, file, held, signal: held.lost });
    }
    await end(act.ends);
  } catch (cause) {
    if (!(cause instanceof DocumentError)) throw cause;
    await end("ERROR", cause.message);
  } finally {
    held.stop();
  }
}

const anything = ({ caller, time }: Machine) => ({
  workspaceId: caller.workspaceId,
  offset: 0,
  limit: 1000,
  now: time,
});

async function session(machine: Machine, at: number): Promise<string> {
  const { data } = await machine.metadata.uploads.list(anything(machine));
  return pick(data, at)?.upload.key ?? "";
}

const pick = <Row>(rows: readonly Row[], at: number): Row | undefined => rows[at % Math.max(1, rows.length)];

async function* once<Value>(value: Value): AsyncGenerator<Value> {
  yield value;
}
