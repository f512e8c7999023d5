import { DrsError } from "./errors.ts";

/** The names of an enum's values for callers, each with its value on the wire. */
export type WireNames<Name extends string, Wire extends number> = readonly (readonly [Name, Wire])[];

/** Returns the name of a value. Throws for an unknown value: a guess would mislead the caller. */
export function nameOf<Name extends string, Wire extends number>(names: WireNames<Name, Wire>, value: number): Name {
  const found = names.find(([, wire]) => wire === value);
  if (found === undefined) {
    throw new DrsError({ code: "internal", message: `the server sent the unknown value ${value}; update @drs/client` });
  }
  return found[0];
}

/** Returns the wire value of a name. */
export function valueOf<Name extends string, Wire extends number>(names: WireNames<Name, Wire>, name: Name): Wire {
  const found = names.find(([candidate]) => candidate === name);
  if (found === undefined) {
    const known = names.map(([candidate]) => candidate).join(", ");
    throw new DrsError({ code: "invalid_argument", message: `"${name}" is not one of ${known}` });
  }
  return found[1];
}

/** Returns a part of a response that the service always sends, although Protobuf messages cannot require it. */
export function present<Part>(part: Part | undefined, what: string): Part {
  if (part === undefined) throw new DrsError({ code: "internal", message: `the server answered without the ${what}` });
  return part;
}
