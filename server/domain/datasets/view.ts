import type { Caller } from "../caller.ts";
import { forbidden } from "../errors.ts";
import { both, type Filter } from "../filters/filter.ts";
import { matches } from "../filters/matches.ts";
import type { DatasetMetadata } from "./metadata.ts";

/** What has metadata by which a caller sees it or does not: a dataset, or an upload that becomes one. */
interface Seen {
  readonly metadata: DatasetMetadata;
}

/** Whether the caller may know of it. A key that is bound to a filter sees of its workspace what passes that alone. */
export function sees({ filter }: Pick<Caller, "filter">, { metadata }: Seen): boolean {
  return filter === undefined || matches(filter, metadata);
}

/** Of what the caller sees, what is asked for; undefined: everything. What is asked never widens what is seen. */
export function viewOf({ filter }: Pick<Caller, "filter">, asked?: Filter): Filter | undefined {
  return both(filter, asked);
}

/** Throws `forbidden` where the caller would not see what it makes, or what it leaves behind. */
export function requireInView(caller: Pick<Caller, "filter">, metadata: DatasetMetadata): void {
  if (sees(caller, { metadata })) return;
  throw forbidden(
    "this API key is bound to a filter, and the dataset's metadata would not pass it; " +
      "say in metadata what the key is bound to, or use another key",
  );
}
