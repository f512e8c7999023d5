import { hasErrorCode } from "../storage/error-codes.ts";

/** Resolves with undefined if the file or folder does not exist. */
export async function ifThere<Value>(reading: Promise<Value>): Promise<Value | undefined> {
  try {
    return await reading;
  } catch (cause) {
    if (hasErrorCode(cause, "ENOENT")) return undefined;
    throw cause;
  }
}
