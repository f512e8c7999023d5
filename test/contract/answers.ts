import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import { expect } from "vitest";
import type { Outcome, Refusal } from "./api.ts";

/** The message of an answer that must be a success. */
export function bodyOf(outcome: Outcome): JsonObject {
  if (!outcome.ok) throw new Error(`${outcome.code}: ${outcome.message}`);
  return outcome.body;
}

export function objectAt(body: JsonObject, name: string): JsonObject {
  const value = body[name];
  if (typeof value !== "object" || value === null || Array.isArray(value)) throw new Error(`${name} is no object`);
  return value;
}

export function listAt(body: JsonObject, name: string): JsonObject[] {
  const value = body[name];
  if (!Array.isArray(value)) throw new Error(`${name} is no list`);
  return value.map((element: JsonValue) => objectAt({ element }, "element"));
}

/** Patterns of fields whose values differ from run to run. */
export const time: unknown = expect.any(Number);
export const share: unknown = {
  url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/v1\/share\/dsx?_\w+\?token=[\w.-]+$/),
  token: expect.any(String),
  expiresAt: time,
};

/** The refusal that a call must end in. */
export function refusalOf(outcome: Refusal | { readonly ok: true }): Refusal {
  if (outcome.ok) throw new Error("the call must be refused");
  return outcome;
}
