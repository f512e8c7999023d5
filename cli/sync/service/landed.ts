import { basename } from "node:path";
import type { Held, Sending, SyncRecord } from "../state/record.ts";
import { type Stock, storedName } from "./stock.ts";

/** A request whose response was lost may have succeeded; after this time it cannot arrive any more, milliseconds. */
const pendingMs = 24 * 3_600_000;

/**
 * Returns the records whose documents have arrived although the response was lost, with the new datasets added. Equal
 * documents are assigned to their records in any order. If fewer have arrived than were sent, documents that are sent
 * again get their own datasets by their idempotency keys, and the others are looked up again later.
 */
export function withLanded(records: Iterable<SyncRecord>, stock: Stock, now: number): readonly SyncRecord[] {
  const changed = new Map<string, SyncRecord>();
  const groups = new Map<string, { readonly record: SyncRecord; readonly sending: Sending }[]>();
  for (const record of records) {
    for (const sending of record.sendings) {
      if (sending.datasetId !== undefined) continue;
      const key = `${sending.sha256} ${sending.fileName}`;
      groups.set(key, [...(groups.get(key) ?? []), { record, sending }]);
    }
  }
  for (const group of groups.values()) {
    const [first] = group;
    if (first === undefined) continue;
    const { sha256, fileName } = first.sending;
    const landed = stock.find(sha256, fileName);
    for (const [index, { record, sending }] of group.entries()) {
      const held = landed.length < group.length ? undefined : landed[index];
      const before = changed.get(record.path) ?? record;
      if (held !== undefined) changed.set(record.path, received(before, sending, held));
      else if (now - sending.since > pendingMs) changed.set(record.path, without(before, sending));
    }
  }
  return [...changed.values()];
}

/**
 * Returns the records whose datasets have another version than recorded: one whose response was lost, or one that
 * somebody else has sent. If several were sent, the last one is assumed to be the one in progress; the outcome of its
 * job will tell.
 */
export function withVersions(records: Iterable<SyncRecord>, stock: Stock, now: number): readonly SyncRecord[] {
  const all = [...records];
  const sendings = new Map<string, Sending[]>();
  for (const sending of all.flatMap((record) => record.sendings)) {
    if (sending.datasetId === undefined) continue;
    sendings.set(sending.datasetId, [...(sendings.get(sending.datasetId) ?? []), sending]);
  }
  const arrived = new Set<Sending>();
  const current = (path: string, held: Held): Held => {
    const seen = stock.seen(held.datasetId);
    const sent = (sendings.get(held.datasetId) ?? []).toSorted((one, other) => one.since - other.since);
    const isMisnamed = (fileName: string): true | undefined =>
      storedName(basename(path)) === storedName(fileName) ? undefined : true;
    const landed = sent.find(({ sha256 }) => sha256 === (seen?.sha256 ?? held.sha256));
    if (landed !== undefined) arrived.add(landed);
    if (held.status === "working") return held;
    if (seen !== undefined && seen.sha256 !== "" && seen.sha256 !== held.sha256) {
      const vectorized = held.vectorized || landed?.vectorize === true;
      return { ...held, sha256: seen.sha256, status: "ready", vectorized, isMisnamed: isMisnamed(seen.fileName) };
    }
    const open = sent.findLast((sending) => sending !== landed);
    const jobId = stock.unfinishedJob(held.datasetId);
    if (open === undefined || jobId === undefined || jobId === held.jobId) return held;
    arrived.add(open);
    return asVersion(held, { ...open, jobId, isMisnamed: isMisnamed(open.fileName) });
  };
  const changed: SyncRecord[] = [];
  const held = all.map((record) => ({
    record,
    own: record.held && current(record.path, record.held),
    replaced: record.replaced.map((one) => current(record.path, one)),
  }));
  for (const { record, own, replaced } of held) {
    const isOver = (sending: Sending): boolean =>
      arrived.has(sending) || (sending.datasetId !== undefined && now - sending.since > pendingMs);
    const isSame = own === record.held && replaced.every((one, index) => one === record.replaced[index]);
    if (isSame && !record.sendings.some(isOver)) continue;
    changed.push({ ...record, held: own, replaced, sendings: record.sendings.filter((one) => !isOver(one)) });
  }
  return changed;
}

/** Returns a dataset while a new version of its document is being read. */
export function asVersion(
  held: Held,
  version: {
    readonly sha256: string;
    readonly jobId: string;
    readonly vectorize: boolean;
    readonly isMisnamed?: true | undefined;
  },
): Held {
  const { sha256, status, vectorized, datasetId, isAdopted } = held;
  const { jobId, isMisnamed } = version;
  const before = { sha256, status, vectorized };
  return {
    datasetId,
    sha256: version.sha256,
    status: "working",
    jobId,
    vectorized: vectorized || version.vectorize,
    isMisnamed,
    isAdopted,
    before,
  };
}

/** Returns the record after the service has confirmed the document. */
export function received(record: SyncRecord, sending: Sending, held: Held): SyncRecord {
  const known = [record.held, ...record.replaced].some((one) => one?.datasetId === held.datasetId);
  const own = { ...held, vectorized: sending.vectorize };
  return { ...without(record, sending), replaced: known ? record.replaced : [...record.replaced, own] };
}

export function without(record: SyncRecord, { idempotencyKey }: Sending): SyncRecord {
  return { ...record, sendings: record.sendings.filter((one) => one.idempotencyKey !== idempotencyKey) };
}
