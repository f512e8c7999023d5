import { type Fragment, readFragment, transactionIn } from "../manifest.ts";
import { fieldsOf } from "../message-fields.ts";

/** Fragments whose rows were written to others, in the same order and without those that had been removed. */
export interface Rewrite {
  readonly from: readonly Fragment[];
  readonly to: readonly Fragment[];
}

/** Numbers of fields in Lance's `transaction.proto`. */
const inTransaction = { rewrite: 104 };
const inRewrite = { group: 3 };
const inGroup = { from: 1, to: 2 };

/** What the version of a manifest has rewritten; none if it did something else. Throws on what is no manifest. */
export function rewritesIn(manifest: Uint8Array): readonly Rewrite[] {
  const transaction = transactionIn(manifest);
  const rewrites: Rewrite[] = [];
  if (transaction === undefined) return rewrites;
  for (const { field, reader } of fieldsOf(transaction)) {
    if (field === inTransaction.rewrite) rewrites.push(...groupsIn(reader.bytes()));
  }
  return rewrites;
}

function groupsIn(rewrite: Uint8Array): Rewrite[] {
  const groups: Rewrite[] = [];
  for (const { field, reader } of fieldsOf(rewrite)) {
    if (field === inRewrite.group) groups.push(readGroup(reader.bytes()));
  }
  return groups;
}

function readGroup(group: Uint8Array): Rewrite {
  const [from, to]: [Fragment[], Fragment[]] = [[], []];
  for (const { field, reader } of fieldsOf(group)) {
    if (field === inGroup.from) from.push(readFragment(reader.bytes()));
    else if (field === inGroup.to) to.push(readFragment(reader.bytes()));
  }
  return { from, to };
}
