import { hasErrorCode } from "../storage/error-codes.ts";

/** Undefined when there is no such file or folder. */
export async function ifThere<Value>(reading: Promise<Value>): Promise<Value | undefined> {
  try {
    return await reading;
  } catch (cause) {
    if (hasErrorCode(cause, "ENOENT")) return undefined;
    throw cause;
  }
}
