import type { Caller } from "../caller.ts";
import { forbidden } from "../errors.ts";
import { both, type Filter, liesWithin, matches } from "../filters/filter.ts";
import type { IsTarget } from "./dataset.ts";
import type { DatasetMetadata } from "./metadata.ts";

/** A dataset, or an upload that becomes one: its metadata decides whether a caller sees it. */
interface Seen {
  readonly metadata: DatasetMetadata;
}

/** Whether the caller sees the dataset. A key that is bound to a filter sees only those that pass it. */
export function sees({ filter }: Pick<Caller, "filter">, { metadata }: Seen): boolean {
  return filter === undefined || matches(filter, metadata);
}

/** Whether the caller sees the whole workspace, so that counts of the workspace may be disclosed. */
export const seesAll = ({ filter }: Pick<Caller, "filter">): boolean => filter === undefined;

/**
 * Combines the caller's filter with the requested one; undefined for everything. The result is never wider than
 * what the caller sees.
 */
export function viewOf({ filter }: Pick<Caller, "filter">, asked?: Filter): Filter | undefined {
  return both(filter, asked);
}

/**
 * Whether the caller may create or change the dataset. A bound key sees a dataset if one of its values passes, but
 * writes it only if all of them pass, so that nothing moves into or out of the views of keys that are bound to
 * other values.
 */
export function mayWrite({ filter }: Pick<Caller, "filter">, { metadata }: Seen): boolean {
  return filter === undefined || liesWithin(filter, metadata);
}

/** Throws `forbidden` if the caller may not create or leave behind a dataset with this metadata. */
export function requireWritable(caller: Pick<Caller, "filter">, metadata: DatasetMetadata): void {
  if (mayWrite(caller, { metadata })) return;
  if (!sees(caller, { metadata })) {
    throw forbidden(
      "this API key is bound to a filter, and the dataset's metadata would not pass it; " +
        "say in metadata what the key is bound to, or use another key",
      { reason: "FILTER_VIOLATED" },
    );
  }
  throw forbidden(
    "this API key is bound to a filter, which not every value in the lists of the dataset's metadata passes; " +
      "it writes only where all of them do: use another key",
    { reason: "FILTER_VIOLATED" },
  );
}

/**
 * Returns the check whether a caller may change a dataset; undefined if the caller may change any. The check
 * returns false if the caller does not see the dataset, and throws `forbidden` if the caller may only read it.
 */
export function changeable(caller: Pick<Caller, "filter">): IsTarget | undefined {
  if (caller.filter === undefined) return undefined;
  return ({ metadata }) => {
    if (!sees(caller, { metadata })) return false;
    requireWritable(caller, metadata);
    return true;
  };
}
