import { type Filter, readCondition } from "@drs/client";
import { InvalidArgumentError } from "commander";

/** Help text of `--ext`. */
export const extHelp = "only documents with these extensions, such as pdf,docx";

/** Help text of `--where`. */
export const whereHelp =
  "only datasets whose metadata matches: 'year>=2020', 'customer=42', 'tags~draft', 'team' (exists), '!team'; repeatable";

/** Reads a condition; repeated options add up, and all of them have to hold. */
export function where(text: string, before: Filter | undefined): Filter {
  const added = conditionOf(text);
  return before === undefined ? added : { $and: [before, added] };
}

function conditionOf(text: string): Filter {
  try {
    return readCondition(text);
  } catch (cause) {
    throw cause instanceof TypeError ? new InvalidArgumentError(cause.message) : cause;
  }
}
