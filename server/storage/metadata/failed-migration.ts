import { DomainError } from "../../domain/errors.ts";
import { type StorageFault, storageFaultOf } from "../../domain/storage-fault.ts";
import type { Place } from "./compatibility.ts";

/** Next steps for the operator, by the fault of the store. */
const steps: Readonly<Record<StorageFault, string>> = {
  full: "make room on the disk and start again",
  "store-full": "make room for the database and start again",
  "read-only": "check the disk and the rights, and start again",
  handles: "raise the limit of open files (ulimit -n) and start again",
  unreachable: "look whether the database runs, and start again",
  refused: "give the database role the right to change the tables, and start again",
};

/**
 * PostgreSQL's codes where others are in the way (https://www.postgresql.org/docs/current/errcodes-appendix.html): a lock or a
 * statement that took too long, a deadlock.
 */
const hindered: ReadonlySet<unknown> = new Set(["55P03", "57014", "40P01"]);

/**
 * The tables could not be brought up to date. All migrations of a start are one transaction, so none of them has changed
 * anything. `migration`: the one that failed; undefined: the failure came before or after all of them.
 */
export function failedMigration(cause: unknown, migration: string | undefined, { where }: Place): DomainError {
  const which = migration === undefined ? "" : `: migration ${migration} failed`;
  const said = cause instanceof Error ? cause.message : String(cause);
  return new DomainError(
    "unavailable",
    `${where} could not be brought up to date${which} (${said}). Nothing in it was changed; ${stepAfter(cause)}`,
    { cause },
  );
}

function stepAfter(cause: unknown): string {
  const fault = storageFaultOf(cause);
  if (fault !== undefined) return steps[fault];
  if (cause instanceof Error && "code" in cause && hindered.has(cause.code)) {
    return "end what holds its tables, such as a dump or a process of another version, and start again";
  }
  return "go on with the version of drs that used it before, and report this message";
}
