import type { Logger } from "pino";
import type { IndexTable } from "../domain/ports/index-tables.ts";

/** Logs that a table of the index has been given up. No action is needed: workers rebuild it. */
export const warnOfGivenUp =
  (log: Logger) =>
  ({ workspaceId, pack, name }: IndexTable, why: string): void =>
    log.warn({ workspaceId, pack, table: name, why }, "a table of the index cannot be read; it is made again");
