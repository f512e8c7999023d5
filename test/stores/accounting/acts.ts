import fc from "fast-check";
import type { Content } from "./documents.ts";

/** A document on its way. */
export interface Sent {
  readonly content: Content;
  /** About so many bytes. */
  readonly size: number;
  /** It breaks off in the middle. */
  readonly isCut: boolean;
}

/** One use of the service. Targets are counted from the first that exists, modulo their number. */
export type Act =
  | (Sent & { readonly act: "upload"; readonly days: number | undefined })
  | { readonly act: "upload from an address" }
  | { readonly act: "start"; readonly size: number | undefined }
  | (Sent & { readonly act: "part"; readonly target: number; readonly number: number })
  | { readonly act: "end"; readonly target: number }
  | { readonly act: "abort"; readonly target: number }
  /** The worker claims the next job: what it fetches, or converts an Office document to, and how the job ends. */
  | (Sent & { readonly act: "work"; readonly ends: "SUCCESS" | "ERROR" })
  | { readonly act: "delete"; readonly target: number }
  | { readonly act: "cancel"; readonly target: number }
  | { readonly act: "sweep" }
  | { readonly act: "wait"; readonly hours: number }
  | { readonly act: "limit"; readonly bytes: number | null };

/** The storage limit of an organisation, often too small for the following steps. */
export const anyLimit = fc.constantFrom(null, null, 2500, 5000);

const size = fc.integer({ min: 1, max: 2000 });
const target = fc.nat(2);
const isCut = fc.constantFrom(false, false, false, false, true);
const content = fc.constantFrom<Content>("pdf", "pdf", "docx", "docx", "docx", "damaged", "junk");
const days = fc.constantFrom(undefined, 1);
const number = fc.constantFrom(1, 1, 1, 2);
const ends = fc.constantFrom("SUCCESS" as const, "SUCCESS" as const, "ERROR" as const);
const hours = fc.constantFrom(1, 23, 25);
const is = <Name extends Act["act"]>(name: Name): fc.Arbitrary<Name> => fc.constant(name);

const anyAct: fc.Arbitrary<Act> = fc.oneof(
  { weight: 5, arbitrary: fc.record({ act: is("upload"), content, size, isCut, days }) },
  { weight: 2, arbitrary: fc.record({ act: is("upload from an address") }) },
  { weight: 2, arbitrary: fc.record({ act: is("start"), size: fc.option(size, { nil: undefined }) }) },
  { weight: 4, arbitrary: fc.record({ act: is("part"), content, size, isCut, target, number }) },
  { weight: 3, arbitrary: fc.record({ act: is("end"), target }) },
  { weight: 1, arbitrary: fc.record({ act: is("abort"), target }) },
  { weight: 5, arbitrary: fc.record({ act: is("work"), content, size, isCut, ends }) },
  { weight: 2, arbitrary: fc.record({ act: is("delete"), target }) },
  { weight: 1, arbitrary: fc.record({ act: is("cancel"), target }) },
  { weight: 2, arbitrary: fc.record({ act: is("sweep") }) },
  { weight: 1, arbitrary: fc.record({ act: is("wait"), hours }) },
  { weight: 1, arbitrary: fc.record({ act: is("limit"), bytes: anyLimit }) },
);

/** Acts one after another, or two at the same time. */
export const anyTurns: fc.Arbitrary<readonly (readonly Act[])[]> = fc.array(
  fc.oneof({ weight: 2, arbitrary: fc.tuple(anyAct) }, { weight: 1, arbitrary: fc.tuple(anyAct, anyAct) }),
  { minLength: 1, maxLength: 10 },
);
