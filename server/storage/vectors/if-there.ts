import { hasErrorCode } from "../blobs/error-codes.ts";

/** Undefined if there is no such file, or no longer: maintenance, also that of other processes, removes what is not needed. */
export async function ifThere<Result>(act: () => Promise<Result>): Promise<Result | undefined> {
  try {
    return await act();
  } catch (cause) {
    if (hasErrorCode(cause, "ENOENT")) return undefined;
    throw cause;
  }
}
