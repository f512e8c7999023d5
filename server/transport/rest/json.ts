import {
  type DescField,
  type DescMessage,
  fromJson,
  getOption,
  hasOption,
  type JsonObject,
  type JsonValue,
  type Message,
  ScalarType,
  toJson,
} from "@bufbuild/protobuf";
import { isFieldError } from "@bufbuild/protobuf/reflect";
import { absence, nullable, omit_empty, shorthand } from "@drs/client/gen/drs/rest/v1/rest_pb";
import { invalid } from "../../domain/errors.ts";
import { shownName, suggestion } from "../../settings/spelling.ts";
import { readOnce } from "../read-once.ts";

/**
 * Reads a message from REST JSON: ProtoJSON, with a bare string if the message declares a shorthand. Unknown fields and
 * enum words are refused: a filter that filters nothing is worse than an error. Throws `invalid`.
 */
export function readMessage(desc: DescMessage, json: JsonObject): Message {
  try {
    return fromJson(desc, known(desc, json, ""));
  } catch (cause) {
    const field = cause instanceof Error && isFieldError(cause.cause) ? cause.cause.field() : undefined;
    if (field?.kind === "field") throw invalid(`${field.jsonName} must be ${expectation(field)}`, { cause });
    throw cause;
  }
}

/**
 * Writes a message as REST JSON: ProtoJSON with defaults, null for unset nullable fields, and without those empty lists
 * that the contract omits.
 */
export function writeMessage(desc: DescMessage, message: Message): JsonObject {
  const json = toJson(desc, message, { alwaysEmitImplicit: true });
  if (!isObject(json)) throw new Error(`${desc.typeName} is not written as a JSON object`);
  return withNulls(desc, json);
}

/** Collects `name=value` pairs of a path, a query or a form into the JSON of a request. */
export interface Parameters {
  readonly json: JsonObject;
  /** Throws `invalid` for an unknown name, and for a second value of a field that takes only one. */
  put(name: string, value: string): void;
}

/** The word for a name in a request, as used in errors. */
export type NameKind = "field" | "parameter";

export function collectParameters(desc: DescMessage, kind: NameKind = "field"): Parameters {
  const json: JsonObject = {};
  return {
    json,
    put(name, value) {
      const field = findField(desc, name);
      if (field === undefined) throw unknownName(desc, name, { kind });
      if (field.fieldKind === "list" && field.listKind !== "message") {
        const list = json[field.jsonName];
        const added = value.split(",").flatMap((part) => part.trim() || []);
        json[field.jsonName] = [...(Array.isArray(list) ? list : []), ...added];
        return;
      }
      if (field.jsonName in json) throw invalid(`${field.jsonName} is given twice`);
      json[field.jsonName] = parameterValue(field, value);
    },
  };
}

export function findField(desc: DescMessage, name: string): DescField | undefined {
  return desc.fields.find((field) => field.name === name || field.jsonName === name);
}

/** The error for an unknown name, with a suggestion. */
export function unknownName(
  desc: DescMessage,
  name: string,
  { kind, path = "" }: { kind: NameKind; path?: string },
): Error {
  const known = desc.fields.map(({ jsonName }) => jsonName);
  return invalid(`${path}${shownName(name)} is not a ${kind} of this request${suggestion(name, known, path)}`);
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function parameterValue(field: DescField, value: string): JsonValue {
  if (field.fieldKind === "scalar" || field.fieldKind === "enum") {
    const isBool = field.scalar === ScalarType.BOOL && (value === "true" || value === "false");
    return isBool ? value === "true" : value;
  }
  const isWord = field.message !== undefined && shorthandOf(field.message) !== "" && !/^\s*\{/.test(value);
  if (isWord) return value;
  try {
    const parsed: JsonValue = JSON.parse(value);
    return parsed;
  } catch (cause) {
    throw invalid(`${field.jsonName} must be JSON: ${expectation(field)}`, { cause });
  }
}

/** Normalises the JSON: names as in the message, shorthands expanded, enums checked. */
function known(desc: DescMessage, json: JsonObject, path: string): JsonObject {
  const copy: JsonObject = {};
  for (const [name, value] of Object.entries(json)) {
    const field = findField(desc, name);
    if (field === undefined) throw unknownName(desc, name, { kind: "field", path });
    if (field.jsonName in copy) throw invalid(`${path}${field.jsonName} is given twice`);
    copy[field.jsonName] = knownValue(field, value, `${path}${field.jsonName}`);
  }
  return copy;
}

function knownValue(field: DescField, value: JsonValue, path: string): JsonValue {
  if (value === null || field.fieldKind === "map") return value;
  if (field.fieldKind !== "list") return knownSingle(field, value, path);
  if (!Array.isArray(value)) throw invalid(`${path} must be ${expectation(field)}`);
  const everything = getOption(field, absence);
  if (value.length === 0 && everything !== "") throw invalid(`${path} is empty; leave it out to ${everything}`);
  return value.map((item, index) => knownSingle(field, item, `${path}[${index}]`));
}

/** The field that a bare string stands for; empty if there is none. */
const shorthandOf = readOnce((desc: DescMessage) => getOption(desc, shorthand));

function knownSingle(field: DescField, value: JsonValue, path: string): JsonValue {
  if (field.message !== undefined) {
    const short = shorthandOf(field.message);
    if (short !== "" && typeof value === "string") return { [short]: value };
    if (field.message.typeName === anyObject) return knownObject(value, path);
    if (!isObject(value)) throw invalid(`${path} must be ${short === "" ? "an object" : "a string or an object"}`);
    return known(field.message, value, `${path}.`);
  }
  if (field.enum !== undefined) {
    const words = field.enum.values.filter(({ number }) => number !== 0).map(({ jsonName, name }) => jsonName ?? name);
    // As in all ProtoJSON, a number may stand for a word; validation checks whether it does.
    const isWord = typeof value === "string" ? words.includes(value) : Number.isInteger(value);
    if (!isWord) throw invalid(`${path} must be one of ${words.join(", ")}`);
  }
  return value;
}

/** A JSON object whose names the caller chooses. */
const anyObject = "google.protobuf.Struct";
/**
 * Maximum nesting of objects and lists in such an object: less than the bound for messages, and more than any sensible
 * use.
 */
const maxDepth = 32;

function knownObject(value: JsonValue, path: string): JsonValue {
  if (!isObject(value)) throw invalid(`${path} must be an object`);
  if (isDeeper(value, maxDepth))
    throw invalid(`${path} has objects and lists in each other more than ${maxDepth} levels deep`);
  return value;
}

function isDeeper(value: JsonValue, levels: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  return levels === 0 || Object.values(value).some((one) => one !== undefined && isDeeper(one, levels - 1));
}

function expectation(field: DescField): string {
  if (field.fieldKind === "list") {
    if (field.listKind === "message") return "an array of objects";
    return field.listKind === "scalar" && field.scalar === ScalarType.STRING ? "an array of strings" : "an array";
  }
  if (field.fieldKind !== "scalar") return field.fieldKind === "enum" ? "a word" : "an object";
  switch (field.scalar) {
    case ScalarType.STRING:
      return "a string";
    case ScalarType.BOOL:
      return "true or false";
    case ScalarType.BYTES:
      return "base64 text";
    case ScalarType.DOUBLE:
    case ScalarType.FLOAT:
      return "a number";
    case ScalarType.UINT32:
    case ScalarType.UINT64:
    case ScalarType.FIXED32:
    case ScalarType.FIXED64:
      return "a whole number that is not negative";
    default:
      return "a whole number";
  }
}

function withNulls(desc: DescMessage, json: JsonObject): JsonObject {
  for (const { name, isNullable, isOmitted, child } of writtenAs(desc)) {
    const value = json[name];
    if (value === undefined) {
      if (isNullable) json[name] = null;
    } else if (isOmitted && Array.isArray(value) && value.length === 0) {
      delete json[name];
    } else if (child !== undefined) {
      for (const item of Array.isArray(value) ? value : [value]) if (isObject(item)) withNulls(child, item);
    }
  }
  return json;
}

/** How a field is written if that differs from ProtoJSON, or if the message in it may contain fields that differ. */
interface WrittenField {
  readonly name: string;
  readonly isNullable: boolean;
  /** Whether an empty list is left out. */
  readonly isOmitted: boolean;
  readonly child: DescMessage | undefined;
}

const writtenAs = readOnce((desc: DescMessage) =>
  desc.fields.flatMap((field): WrittenField[] => {
    const { jsonName: name, message, fieldKind } = field;
    const isNullable = hasOption(field, nullable);
    const isOmitted = hasOption(field, omit_empty);
    const child = message?.typeName === anyObject || fieldKind === "map" ? undefined : message;
    return isNullable || isOmitted || child !== undefined ? [{ name, isNullable, isOmitted, child }] : [];
  }),
);
