import type { Kysely } from "kysely";
import type { DatasetId } from "../../../domain/ids.ts";
import type { IndexLease } from "../../../domain/ports/packs.ts";
import { leaseEnd, newToken } from "../queue/claims.ts";
import type { Schema } from "../schema.ts";

/** For what takes milliseconds, or a second in an object store. */
const renewalMs = 3_000;

/**
 * Notes that the datasets' indices are to have rows of what is said of them now, and claims them; call it in the transaction that
 * changes that. A process that ends before it has written the rows leaves the note to workers. An index whose rows are to be made
 * again, or that is being made, gets these with the others.
 */
export async function claimRenewals(
  trx: Kysely<Schema>,
  datasetIds: readonly DatasetId[],
  now: number,
): Promise<readonly IndexLease[]> {
  const token = newToken();
  const claimed = await trx
    .updateTable("indices")
    .set({
      rebuild: "said",
      leaseOwner: "update",
      // What an earlier claim writes may be what was said before.
      claimToken: token,
      leaseUntil: leaseEnd(now, renewalMs),
      retryAt: null,
      tries: 0,
    })
    .where("datasetId", "in", datasetIds)
    .where("role", "=", "served")
    .where(({ eb, or }) => or([eb("rebuild", "is", null), eb("rebuild", "=", "said")]))
    .returning(["datasetId", "pack"])
    .execute();
  return claimed.map((index) => ({ ...index, token }));
}
