import { DrsError } from "./errors.ts";

/** The part of an answer that the service always sends, although messages cannot demand it. */
export function present<Part>(part: Part | undefined, what: string): Part {
  if (part === undefined) throw new DrsError({ code: "internal", message: `the server answered without the ${what}` });
  return part;
}
