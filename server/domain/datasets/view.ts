import type { Caller } from "../caller.ts";
import { forbidden } from "../errors.ts";
import { both, type Filter } from "../filters/filter.ts";
import { liesWithin } from "../filters/lies-within.ts";
import { matches } from "../filters/matches.ts";
import type { IsMeant } from "./dataset.ts";
import type { DatasetMetadata } from "./metadata.ts";

/** What has metadata by which a caller sees it or does not: a dataset, or an upload that becomes one. */
interface Seen {
  readonly metadata: DatasetMetadata;
}

/** Whether the caller may know of it. A key that is bound to a filter sees of its workspace what passes that alone. */
export function sees({ filter }: Pick<Caller, "filter">, { metadata }: Seen): boolean {
  return filter === undefined || matches(filter, metadata);
}

/** Whether nothing of the workspace is hidden from the caller, so that what is counted there may be told. */
export const seesAll = ({ filter }: Pick<Caller, "filter">): boolean => filter === undefined;

/** Of what the caller sees, what is asked for; undefined: everything. What is asked never widens what is seen. */
export function viewOf({ filter }: Pick<Caller, "filter">, asked?: Filter): Filter | undefined {
  return both(filter, asked);
}

/**
 * Whether the caller may make or change it. A bound key sees what has one value that passes; it writes what has no other, so that
 * nothing comes from it into the views of keys that are bound to other values, and nothing goes out of them.
 */
export function mayWrite({ filter }: Pick<Caller, "filter">, { metadata }: Seen): boolean {
  return filter === undefined || liesWithin(filter, metadata);
}

/** Throws `forbidden` where the caller may not make or leave behind a dataset of this metadata. */
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
 * Whether a dataset is there for a caller who is to change it; undefined: whatever it is. It throws `forbidden` where it is there and
 * the caller may only read it.
 */
export function changeable(caller: Pick<Caller, "filter">): IsMeant | undefined {
  if (caller.filter === undefined) return undefined;
  return ({ metadata }) => {
    if (!sees(caller, { metadata })) return false;
    requireWritable(caller, metadata);
    return true;
  };
}
