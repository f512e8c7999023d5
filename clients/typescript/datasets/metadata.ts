import type { JsonObject } from "@bufbuild/protobuf";

/** A value of metadata. Dates are RFC 3339 strings. */
export type MetadataValue = string | number | boolean;

/** Metadata of a dataset: fields, each with a value or a list of values. */
export type Metadata = Readonly<Record<string, MetadataValue | readonly MetadataValue[]>>;

/** Changes of metadata: the given fields are replaced, or removed if null; all others stay. */
export type MetadataChange = Readonly<Record<string, MetadataValue | readonly MetadataValue[] | null>>;

/** Conditions on a field of metadata; all given ones have to hold. */
export interface FieldConditions {
  readonly $eq?: MetadataValue;
  /** Also true if the field does not exist. */
  readonly $ne?: MetadataValue;
  readonly $gt?: string | number;
  readonly $gte?: string | number;
  readonly $lt?: string | number;
  readonly $lte?: string | number;
  readonly $in?: readonly MetadataValue[];
  /** Also true if the field does not exist. */
  readonly $nin?: readonly MetadataValue[];
  /** True for a list that contains this value, and for a string that contains this string. */
  readonly $contains?: MetadataValue;
  readonly $exists?: boolean;
}

/** Selects datasets by their metadata: all entries have to hold. */
export interface Filter {
  readonly $and?: readonly Filter[];
  readonly $or?: readonly Filter[];
  readonly $not?: Filter;
  readonly [field: string]: MetadataValue | FieldConditions | Filter | readonly Filter[] | undefined;
}

/** Returns the object as it is sent, without undefined fields. */
export function jsonOf(object: MetadataChange | Filter): JsonObject {
  const json: JsonObject = JSON.parse(JSON.stringify(object));
  return json;
}

/** Reads a filter that the service has sent, and therefore checked. */
export function filterOf(wire: JsonObject): Filter {
  const filter: Filter = JSON.parse(JSON.stringify(wire));
  return filter;
}

/** Reads metadata that the service has sent. */
export function metadataOf(wire: JsonObject | undefined): Metadata {
  return Object.fromEntries(
    Object.entries(wire ?? {}).flatMap(([name, value]) => {
      const known = isValue(value) || (Array.isArray(value) && value.every(isValue));
      return known ? [[name, value] as const] : [];
    }),
  );
}

export function isValue(value: unknown): value is MetadataValue {
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean";
}
