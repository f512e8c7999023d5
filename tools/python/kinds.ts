import { type DescField, type DescMessage, getOption, hasOption, ScalarType } from "@bufbuild/protobuf";
import { nullable, shorthand } from "../../clients/typescript/gen/drs/rest/v1/rest_pb.ts";
import { isNeeded } from "../openapi/rules.ts";

/** Messages whose JSON is any object or any value, also in Python. */
const anyObject = "google.protobuf.Struct";
const anyValue = "google.protobuf.Value";

/** The Python type of a single value, and how it is read from and written to JSON. */
export interface Kind {
  readonly type: string;
  /** A Python expression for a function from JSON to the value. */
  readonly read: string;
  /** Returns a Python expression for the JSON of the value of an expression. */
  write(value: string): string;
}

const plain = (type: string, read: string): Kind => ({ type, read, write: (value) => value });

/** Returns the kind of a field. `place`: prefix of the names of messages and enums, such as "types." if they are imported. */
export function kindOf(field: DescField, place = ""): Kind {
  if (field.fieldKind === "map") return kindOfMap(field, place);
  if (field.message !== undefined) return kindOfMessage(field.message, place);
  if (field.enum !== undefined) return plain(`${place}${field.enum.name}`, "word");
  return kindOfScalar("scalar" in field ? field.scalar : undefined, field.name);
}

function kindOfMap(field: DescField & { fieldKind: "map" }, place: string): Kind {
  const value = field.mapKind === "message" ? kindOfMessage(field.message, place) : kindOfScalar(field.scalar, "");
  return {
    type: `Mapping[str, ${value.type}]`,
    read: `mapping(${value.read})`,
    write: (expression) => `{name: ${value.write("one")} for name, one in ${expression}.items()}`,
  };
}

function kindOfMessage(message: DescMessage, place: string): Kind {
  if (message.typeName === anyObject) return plain("Mapping[str, Any]", "any_object");
  if (message.typeName === anyValue) return plain("JsonValue", "any_json");
  const name = `${place}${message.name}`;
  return { type: name, read: `${name}.from_json`, write: (value) => `${value}.to_json()` };
}

function kindOfScalar(scalar: ScalarType | undefined, name: string): Kind {
  switch (scalar) {
    case ScalarType.STRING:
      return plain("str", "text");
    case ScalarType.BOOL:
      return plain("bool", "truth");
    case ScalarType.BYTES:
      return { type: "bytes", read: "base64_bytes", write: (value) => `base64_text(${value})` };
    case ScalarType.DOUBLE:
    case ScalarType.FLOAT:
      if (/(^|_)at$/.test(name)) return { type: "datetime", read: "time", write: (value) => `milliseconds(${value})` };
      return isCount(name) ? plain("int", "whole") : plain("float", "number");
    default:
      return plain("int", "whole");
  }
}

/** JSON and JavaScript have no whole numbers beyond 2^53, so sizes and counts are doubles in the contract. */
const isCount = (name: string): boolean => /(^|_)(bytes|size|pages|requests)(_|$)/.test(name);

/** Whether a value may be missing in an answer, or left out of a request. */
export const isOptional = (field: DescField): boolean =>
  field.fieldKind !== "list" &&
  field.fieldKind !== "map" &&
  (field.proto.proto3Optional || field.oneof !== undefined || hasOption(field, nullable));

/** Returns the type of a method's parameter, and whether it is required. */
export function parameterOf(field: DescField): {
  readonly type: string;
  readonly needed: boolean;
  readonly json: string;
} {
  const kind = kindOf(field, "types.");
  const name = field.name;
  const needed = isNeeded(field);
  if (field.fieldKind === "list") {
    const isText = field.listKind === "scalar" && field.scalar === ScalarType.STRING;
    const isWords = isText || field.listKind === "enum";
    const type = isWords ? `${kind.type} | Sequence[${kind.type}]` : `Sequence[${kind.type}]`;
    const values = isWords ? `words(${name})` : `[${kind.write("one")} for one in ${name}]`;
    return optional({ type, needed, json: values, name, isPlain: isWords });
  }
  const short = field.message !== undefined && getOption(field.message, shorthand) !== "";
  const type = short ? `str | ${kind.type}` : kind.type;
  const written = kind.write(name);
  const json = short ? `${name} if isinstance(${name}, str) else ${written}` : written;
  return optional({ type, needed, json, name, isPlain: json === name });
}

function optional(parameter: {
  readonly type: string;
  readonly needed: boolean;
  readonly json: string;
  readonly name: string;
  /** Whether its JSON is also valid for None. */
  readonly isPlain: boolean;
}): { readonly type: string; readonly needed: boolean; readonly json: string } {
  const { type, needed, json, name, isPlain } = parameter;
  if (needed) return { type, needed, json };
  return { type: `${type} | None`, needed, json: isPlain ? json : `None if ${name} is None else ${json}` };
}
