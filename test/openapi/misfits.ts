import { objectOf } from "../contract/rest/client.ts";
import { arrayOf, type Json, type OpenApiDocument } from "./document.ts";

/** Where a value is not what its schema says; fields that the schema does not have are such places too. */
export function misfits(document: OpenApiDocument, schema: unknown, value: unknown, at = "answer"): string[] {
  const described = merged(document, schema);
  const choices = arrayOf(described["anyOf"] ?? described["oneOf"]);
  if (choices.length > 0) {
    const found = choices.map((choice) => misfits(document, choice, value, at));
    return found.some(({ length }) => length === 0) ? [] : found.flat();
  }
  const types = [described["type"] ?? []].flat();
  if (!types.some((type) => isOf(type, value))) return [`${at} is ${JSON.stringify(value)}, not ${types.join(" or ")}`];
  if ("const" in described && described["const"] !== value) return [`${at} is not ${String(described["const"])}`];
  if (described["enum"] !== undefined && !arrayOf(described["enum"]).includes(value)) {
    return [`${at} is the unknown word ${String(value)}`];
  }
  if (Array.isArray(value)) {
    return value.flatMap((one, index) => misfits(document, described["items"], one, `${at}[${index}]`));
  }
  return typeof value === "object" && value !== null ? inObject(document, described, objectOf(value), at) : [];
}

function inObject(document: OpenApiDocument, described: Json, value: Json, at: string): string[] {
  // Whose names are the caller's own.
  if (described["additionalProperties"] === true) return [];
  const properties = objectOf(described["properties"]);
  const missing = arrayOf(described["required"]).filter((name) => !(String(name) in value));
  return [
    ...missing.map((name) => `${at} lacks ${String(name)}`),
    ...Object.entries(value).flatMap(([name, one]) =>
      properties[name] === undefined
        ? [`${at} has ${name}, which is not described`]
        : misfits(document, properties[name], one, `${at}.${name}`),
    ),
  ];
}

/** The parts of an `allOf` as one schema. */
function merged(document: OpenApiDocument, schema: unknown): Json {
  const described = document.resolve(schema);
  const parts = arrayOf(described["allOf"]).map((part) => merged(document, part));
  if (parts.length === 0) return described;
  return {
    type: "object",
    required: parts.flatMap(({ required }) => arrayOf(required)),
    properties: Object.assign({}, ...parts.map(({ properties }) => properties)),
  };
}

function isOf(type: unknown, value: unknown): boolean {
  if (type === "null") return value === null;
  if (type === "array") return Array.isArray(value);
  if (type === "integer") return Number.isInteger(value);
  if (type === "object") return typeof value === "object" && value !== null && !Array.isArray(value);
  return typeof value === type;
}
