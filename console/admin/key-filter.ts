import type { Filter } from "@drs/client";

/** A filter as people write it; undefined where nothing is written, "wrong" where it is no JSON object. */
export function readFilter(text: string): Filter | "wrong" | undefined {
  if (text === "") return undefined;
  try {
    const parsed: unknown = JSON.parse(text);
    return isObject(parsed) ? parsed : "wrong";
  } catch {
    return "wrong";
  }
}

/** What is in it is for the service to judge. */
const isObject = (value: unknown): value is Filter =>
  typeof value === "object" && value !== null && !Array.isArray(value);
