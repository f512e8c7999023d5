import { join } from "node:path";

/** A version that upgrades are tried from, made by `.ci/older`; CI names its folder in a variable. */
export interface OlderVersion {
  readonly isThere: boolean;
  /** Behind the title of a suite that needs it. */
  readonly reason: string;
  /** Its `drs.js`. */
  readonly program: string;
}

/** `folder`: one that knows nothing but a data folder; `shared`: one on stores that processes share. */
export function olderVersion(stores: "folder" | "shared"): OlderVersion {
  const variable = `DRS_TEST_OLDER_${stores.toUpperCase()}`;
  const folder = process.env[variable] ?? "";
  const isThere = folder !== "";
  return {
    isThere,
    reason: isThere ? "" : ` (skipped: ${variable} names no older version, see .ci/older)`,
    program: join(folder, "cli/bin/drs.js"),
  };
}
