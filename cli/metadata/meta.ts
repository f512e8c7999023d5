import { type Metadata, readValue } from "@drs/client";
import { InvalidArgumentError } from "commander";

/** Reads `name=value`; repeated options add up, and a repeated name gets a list of values. */
export function meta(text: string, before: Metadata = {}): Metadata {
  const at = text.indexOf("=");
  const name = text.slice(0, at).trim();
  if (at < 0 || name === "") throw new InvalidArgumentError("It must be NAME=VALUE, such as year=2024.");
  const value = readValue(text.slice(at + 1).trim());
  const earlier = Object.hasOwn(before, name) ? before[name] : undefined;
  if (earlier === undefined) return { ...before, [name]: value };
  return { ...before, [name]: [earlier, value].flat() };
}
