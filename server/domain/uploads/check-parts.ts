import { createHash } from "node:crypto";
import { invalid } from "../errors.ts";
import { partBytes, type UploadPart } from "./upload.ts";

/** A part as the caller lists it at the end. */
export interface ListedPart {
  readonly partNumber: number;
  /** As the append answered; case and enclosing quotes do not matter. */
  readonly etag: string;
}

/** The contract's 5 MB, in the smaller of its two meanings. */
export const minPartBytes = 5_000_000;

/** Numbers that a sentence names; the rest is only counted. */
const maxNamed = 20;

/**
 * Checks that the received parts, ordered by number, form a whole document and match the caller's list, if there is
 * one. Throws `invalid` with all problems, naming the parts.
 */
export function checkParts(
  received: readonly UploadPart[],
  { listed, fileSize }: { listed: readonly ListedPart[]; fileSize: number | null },
): void {
  const problems = [...listProblems(received, listed), ...documentProblems(received, fileSize)];
  if (problems.length > 0) throw invalid(problems.join("; "));
}

/** Identifies an end by its parts: SHA-256 over numbers and etags, in any order, hexadecimal. */
export function digestParts(parts: readonly ListedPart[]): string {
  const lines = parts.map(({ partNumber, etag }) => `${partNumber} ${normalEtag(etag)}\n`);
  return createHash("sha256").update(lines.toSorted().join("")).digest("hex");
}

function listProblems(received: readonly UploadPart[], listed: readonly ListedPart[]): string[] {
  if (listed.length === 0) return [];
  const etags = new Map(received.map(({ partNumber, etag }) => [partNumber, etag]));
  const numbers = new Set<number>();
  const repeated = new Set<number>();
  for (const { partNumber } of listed) {
    if (numbers.has(partNumber)) repeated.add(partNumber);
    numbers.add(partNumber);
  }
  const unknown = [...numbers].filter((number) => !etags.has(number));
  const changed = listed.filter(({ partNumber, etag }) => {
    const stored = etags.get(partNumber);
    return stored !== undefined && stored !== normalEtag(etag);
  });
  const unlisted = received.filter(({ partNumber }) => !numbers.has(partNumber));
  return [
    ...problem([...repeated], "is listed twice", "are listed twice"),
    ...problem(unknown, "has not been received; upload it first", "have not been received; upload them first"),
    ...problem(numbersOf(changed), "was received with another etag", "were received with other etags"),
    ...problem(
      numbersOf(unlisted),
      "has been received but is not listed; list every part",
      "have been received but are not listed; list every part",
    ),
  ];
}

function documentProblems(received: readonly UploadPart[], fileSize: number | null): string[] {
  const last = received.at(-1);
  if (last === undefined) return ["no part has been received; upload the parts first"];
  const numbers = new Set(numbersOf(received));
  const missing = Array.from({ length: last.partNumber }, (_, index) => index + 1).filter((n) => !numbers.has(n));
  const small = received.filter((part) => part !== last && part.size < minPartBytes);
  const size = partBytes(received);
  return [
    ...problem(missing, "is missing; upload it, parts are numbered from 1", "are missing; upload them"),
    ...problem(
      numbersOf(small),
      "is too small: only the last may have less than 5 MB",
      "are too small: only the last may have less than 5 MB",
    ),
    ...(fileSize === null || fileSize === size || missing.length > 0
      ? []
      : [`the parts have ${size} bytes together, but fileSize announced ${fileSize}; upload what is missing`]),
  ];
}

function problem(numbers: readonly number[], one: string, many: string): string[] {
  if (numbers.length === 0) return [];
  if (numbers.length === 1) return [`part ${numbers.join("")} ${one}`];
  const named = numbers.toSorted((a, b) => a - b).slice(0, maxNamed);
  const more = numbers.length - named.length;
  return [`parts ${named.join(", ")}${more === 0 ? "" : ` and ${more} more`} ${many}`];
}

const numbersOf = (parts: readonly { readonly partNumber: number }[]): number[] =>
  parts.map(({ partNumber }) => partNumber);

const normalEtag = (etag: string): string =>
  etag
    .trim()
    .replace(/^"(.*)"$/, "$1")
    .toLowerCase();
