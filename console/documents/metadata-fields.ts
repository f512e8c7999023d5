import type { Metadata, MetadataChange, MetadataValue } from "@drs/client";

/** The kinds that a metadata field can be edited as; "mixed" lists are JSON. */
export const kinds = ["text", "number", "boolean", "date", "texts", "numbers", "mixed"] as const;
export type Kind = (typeof kinds)[number];

/** A field in the editor. */
export interface EditedField {
  /** Stays while the field is renamed. */
  readonly id: number;
  readonly name: string;
  readonly kind: Kind;
  readonly text: string;
}

type Value = MetadataValue | readonly MetadataValue[];

const isList = (value: Value): value is readonly MetadataValue[] => typeof value === "object";
const datePattern = /^\d{4}-\d{2}-\d{2}$/;

export const fieldsOf = (metadata: Metadata): readonly EditedField[] =>
  Object.entries(metadata).map(([name, value], id) => ({ id, name, ...editedOf(value) }));

function editedOf(value: Value): Pick<EditedField, "kind" | "text"> {
  if (typeof value === "boolean") return { kind: "boolean", text: String(value) };
  if (typeof value === "number") return { kind: "number", text: String(value) };
  if (!isList(value)) return { kind: datePattern.test(value) ? "date" : "text", text: value };
  if (value.every((entry) => typeof entry === "number")) return { kind: "numbers", text: value.join("\n") };
  if (value.every((entry) => typeof entry === "string" && !entry.includes("\n"))) {
    return { kind: "texts", text: value.join("\n") };
  }
  return { kind: "mixed", text: JSON.stringify(value) };
}

/** Returns undefined if the text does not fit the kind. */
export function valueOf({ kind, text }: Pick<EditedField, "kind" | "text">): Value | undefined {
  if (kind === "text") return text;
  if (kind === "date") return datePattern.test(text) ? text : undefined;
  if (kind === "boolean") return text === "true";
  if (kind === "number") return numberOf(text);
  if (kind === "mixed") return listOf(text);
  const lines = text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");
  if (kind === "texts") return lines;
  const numbers = lines.map(numberOf).filter((number) => number !== undefined);
  return numbers.length === lines.length ? numbers : undefined;
}

function numberOf(text: string): number | undefined {
  const number = Number(text);
  return text.trim() === "" || !Number.isFinite(number) ? undefined : number;
}

function listOf(text: string): readonly MetadataValue[] | undefined {
  try {
    const list: unknown = JSON.parse(text);
    return Array.isArray(list) && list.every(isValue) ? list : undefined;
  } catch {
    return undefined;
  }
}

const isValue = (value: unknown): value is MetadataValue => ["string", "number", "boolean"].includes(typeof value);

/** Returns the problems of the fields, by field id. */
export function problemsOf(fields: readonly EditedField[]): ReadonlyMap<number, "nameless" | "twice" | "value"> {
  const problems = new Map<number, "nameless" | "twice" | "value">();
  const names = new Set<string>();
  for (const field of fields) {
    const name = field.name.trim();
    if (valueOf(field) === undefined) problems.set(field.id, "value");
    if (names.has(name)) problems.set(field.id, "twice");
    if (name === "") problems.set(field.id, "nameless");
    names.add(name);
  }
  return problems;
}

/** Returns the change that turns the metadata into the edited fields: changed fields, and null for removed ones. */
export function changeOf(before: Metadata, fields: readonly EditedField[]): MetadataChange {
  const after = new Map(fields.map((field) => [field.name.trim(), valueOf(field) ?? field.text]));
  const gone = Object.keys(before).filter((name) => !after.has(name));
  const changed = [...after].filter(([name, value]) => JSON.stringify(before[name]) !== JSON.stringify(value));
  return Object.fromEntries([...changed, ...gone.map((name) => [name, null] as const)]);
}
