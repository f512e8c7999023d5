import { type DescField, type DescMessage, getOption, hasOption, type JsonValue, ScalarType } from "@bufbuild/protobuf";
import { example, nullable, shorthand } from "../../clients/typescript/gen/drs/rest/v1/rest_pb.ts";

/** Milliseconds since the epoch: 21 November 2026. */
const exampleTime = 1_795_257_465_810;

/** Examples of fields that mean the same in every message. */
const wellKnown: Readonly<Record<string, number>> = { total: 1, offset: 0, limit: 10, expires_in_seconds: 600 };

/**
 * Returns an example of a field's value: its own, else that of all fields of its type. Undefined for the bytes of a file. Throws if
 * the contract has none.
 */
export function exampleOf(field: DescField): JsonValue | undefined {
  if (hasOption(field, example)) return ownExample(field, getOption(field, example));
  if (field.message !== undefined) {
    const whole = exampleOfMessage(field.message);
    return field.fieldKind === "list" ? [whole] : whole;
  }
  if (field.enum !== undefined) {
    const word = field.enum.values.find(({ number }) => number !== 0);
    const one = word?.jsonName ?? word?.name ?? "";
    return field.fieldKind === "list" ? [one] : one;
  }
  if (field.scalar === ScalarType.BYTES) return undefined;
  if (field.scalar === ScalarType.BOOL) return false;
  if (field.scalar === ScalarType.DOUBLE && field.name.endsWith("_at")) return exampleTime;
  const known = wellKnown[field.name];
  if (known === undefined) throw new Error(`${field.parent.typeName}.${field.name} has no example`);
  return known;
}

/** Returns an example of a message with the given fields. */
export function exampleOfMessage(message: DescMessage, fields: readonly DescField[] = message.fields): JsonValue {
  const short = getOption(message, shorthand);
  const shortField = message.fields.find(({ name }) => name === short);
  if (shortField !== undefined) return exampleOf(shortField) ?? null;
  const values = fields.map((field): [string, JsonValue | undefined] => [field.jsonName, exampleOf(field)]);
  return Object.fromEntries(values.flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])));
}

/** Whether the example is the field's own, not that of the message that it holds. */
export const hasOwnExample = (field: DescField): boolean =>
  field.message === undefined || hasOption(field, example) || getOption(field.message, shorthand) !== "";

function ownExample(field: DescField, text: string): JsonValue {
  const isText = field.enum !== undefined || ("scalar" in field && field.scalar === ScalarType.STRING);
  if (isText && field.fieldKind !== "list" && !(text === "null" && hasOption(field, nullable))) return text;
  const value: JsonValue = JSON.parse(text);
  return value;
}
