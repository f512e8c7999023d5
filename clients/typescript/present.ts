import { DrsError } from "./errors.ts";

/** Returns a part of a response that the service always sends, although Protobuf messages cannot require it. */
export function present<Part>(part: Part | undefined, what: string): Part {
  if (part === undefined) throw new DrsError({ code: "internal", message: `the server answered without the ${what}` });
  return part;
}
