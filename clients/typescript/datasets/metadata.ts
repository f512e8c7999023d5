import type { JsonObject } from "@bufbuild/protobuf";

/** A value of metadata. Dates are texts as RFC 3339 writes them. */
export type MetadataValue = string | number | boolean;

/** What is said of a dataset: fields with a value or a list of values each. */
export type Metadata = Readonly<Record<string, MetadataValue | readonly MetadataValue[]>>;

/** Changes of metadata: fields that are named are replaced, those of null removed, all others stay. */
export type MetadataChange = Readonly<Record<string, MetadataValue | readonly MetadataValue[] | null>>;

/** What a field of metadata has to be; all that is given has to hold. */
export interface FieldConditions {
  readonly $eq?: MetadataValue;
  /** Also where there is no such field. */
  readonly $ne?: MetadataValue;
  readonly $gt?: string | number;
  readonly $gte?: string | number;
  readonly $lt?: string | number;
  readonly $lte?: string | number;
  readonly $in?: readonly MetadataValue[];
  /** Also where there is no such field. */
  readonly $nin?: readonly MetadataValue[];
  /** A list has this value, or a text has this text in it. */
  readonly $contains?: MetadataValue;
  readonly $exists?: boolean;
}

/** Which datasets are meant, by their metadata: all entries have to hold. */
export interface Filter {
  readonly $and?: readonly Filter[];
  readonly $or?: readonly Filter[];
  readonly $not?: Filter;
  readonly [field: string]: MetadataValue | FieldConditions | Filter | readonly Filter[] | undefined;
}

/** As it is sent; what is undefined is left out. */
export function jsonOf(object: MetadataChange | Filter): JsonObject {
  const json: JsonObject = JSON.parse(JSON.stringify(object));
  return json;
}

/** A filter as the service sends it, which has read it. */
export function filterOf(wire: JsonObject): Filter {
  const filter: Filter = JSON.parse(JSON.stringify(wire));
  return filter;
}

/** Metadata as the service sends it. */
export function metadataOf(wire: JsonObject | undefined): Metadata {
  return Object.fromEntries(
    Object.entries(wire ?? {}).flatMap(([name, value]) => {
      const known = isValue(value) || (Array.isArray(value) && value.every(isValue));
      return known ? [[name, value] as const] : [];
    }),
  );
}

function isValue(value: unknown): value is MetadataValue {
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean";
}
