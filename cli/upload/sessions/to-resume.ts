import { usageError } from "../../failures.ts";
import type { SavedUpload } from "./saved-upload.ts";

/** Returns the uploads that `drs uploads resume` continues. Throws usage errors if that is not clear. */
export function uploadsToResume(
  own: readonly SavedUpload[],
  key: string | undefined,
  all: boolean,
): readonly SavedUpload[] {
  if (all && key !== undefined) throw usageError("--all and a key cannot be combined", "leave one out");
  if (all || (key === undefined && own.length === 1)) return own;
  if (key === undefined)
    throw usageError(
      own.length === 0
        ? "there are no unfinished uploads from this machine to this server"
        : `there are ${own.length} unfinished uploads`,
      own.length === 0 ? "drs uploads list shows those of the service" : "name one, or --all: drs uploads list",
    );
  const found = own.filter(({ state }) => state.key === key);
  if (found.length === 0)
    throw usageError(
      `${key} was not started on this machine for this server`,
      "drs uploads list shows what can be resumed",
    );
  return found;
}
