import { type DescField, getOption, hasOption } from "@bufbuild/protobuf";
import { FeatureSet_FieldPresence } from "@bufbuild/protobuf/wkt";
import { field as rulesOption, type FieldRules } from "@bufbuild/protovalidate/gen/buf/validate/validate_pb.js";
import { needed } from "../../clients/typescript/gen/drs/rest/v1/rest_pb.ts";

export type Json = Record<string, unknown>;

function hasRules(field: DescField): boolean {
  return hasOption(field, rulesOption);
}

/** Whether a request must have the field. */
export function isNeeded(field: DescField): boolean {
  const rules = rulesOf(field);
  return rules?.required === true || getOption(field, needed) || refusesDefault(field, rules);
}

/** Whether the rules reject the default value, which a field without presence has if a request leaves it out. */
function refusesDefault(field: DescField, rules: FieldRules | undefined): boolean {
  if (field.presence !== FeatureSet_FieldPresence.IMPLICIT) return false;
  const type = rules?.type;
  if (type?.case === "string") return type.value.minLen > 0n;
  return type?.case === "enum" && type.value.notIn.includes(0);
}

/** Returns the bounds of a single value as JSON Schema. */
export function boundsOf(field: DescField): Json {
  const type = rulesOf(field)?.type;
  if (type?.case === "string") {
    const { minLen, maxLen, pattern } = type.value;
    return {
      ...(minLen === 0n ? {} : { minLength: Number(minLen) }),
      ...(maxLen === 0n ? {} : { maxLength: Number(maxLen) }),
      ...(pattern === "" ? {} : { pattern }),
    };
  }
  if (type?.case !== "uint32" && type?.case !== "double") return {};
  const { greaterThan, lessThan, in: values } = type.value;
  return {
    ...(values.length > 0 ? { enum: values } : {}),
    ...(greaterThan.case === "gte" ? { minimum: greaterThan.value } : {}),
    ...(lessThan.case === "lte" ? { maximum: lessThan.value } : {}),
  };
}

/** Returns the bounds on the length of a list as JSON Schema. */
export function listBoundsOf(field: DescField): Json {
  const type = rulesOf(field)?.type;
  return type?.case === "repeated" && type.value.maxItems > 0n ? { maxItems: Number(type.value.maxItems) } : {};
}

function rulesOf(field: DescField): FieldRules | undefined {
  return hasRules(field) ? getOption(field, rulesOption) : undefined;
}
