import type { Held, Sending, SyncRecord } from "../state/record.ts";
import type { Stock } from "./stock.ts";

/** An answer that was lost may have been a yes; after this it cannot come any more, milliseconds. */
const pendingMs = 24 * 3_600_000;

/**
 * The records whose documents were sent without an answer and have arrived, with what arrived among their datasets; for
 * which of several equal ones a document was sent does not matter. Where fewer have arrived than were sent, those that are
 * sent again get their own by their idempotency keys, and the others are looked for again later.
 */
export function withLanded(records: Iterable<SyncRecord>, stock: Stock, now: number): readonly SyncRecord[] {
  const changed = new Map<string, SyncRecord>();
  const groups = new Map<string, { readonly record: SyncRecord; readonly sending: Sending }[]>();
  for (const record of records) {
    for (const sending of record.sendings) {
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

/** The record once the service has answered that it has the document. */
export function received(record: SyncRecord, sending: Sending, held: Held): SyncRecord {
  const known = [record.held, ...record.replaced].some((one) => one?.datasetId === held.datasetId);
  const own = { ...held, vectorized: sending.vectorize };
  return { ...without(record, sending), replaced: known ? record.replaced : [...record.replaced, own] };
}

export function without(record: SyncRecord, { idempotencyKey }: Sending): SyncRecord {
  return { ...record, sendings: record.sendings.filter((one) => one.idempotencyKey !== idempotencyKey) };
}
