import { invalid } from "../errors.ts";

/** A value that metadata can have and filters can compare. Dates are RFC 3339 texts. */
export type Scalar = string | number | boolean;

/** The owner's description of a dataset: fields, ordered by name, with a value or a list of values each. */
export type DatasetMetadata = Readonly<Record<string, Scalar | readonly Scalar[]>>;

/** A few hundred bytes describe a document; the limits keep a row and the index of its values small. */
export const maxMetadata = { fields: 64, values: 256, bytes: 16 * 1024, nameCharacters: 64, textBytes: 1_024 } as const;

/** The metadata of a dataset that has not been described. */
export const noMetadata: DatasetMetadata = Object.freeze({});

/**
 * Reads metadata from parsed JSON: an object whose values are texts, finite numbers, booleans or lists of those. A
 * field that is null is left out. Throws `invalid` for anything else and for metadata over the limits.
 */
export function readMetadata(json: unknown): DatasetMetadata {
  return changeMetadata(noMetadata, json);
}

/** Applies a JSON merge patch (RFC 7396): fields of the patch replace, null removes. */
export function changeMetadata(metadata: DatasetMetadata, patch: unknown): DatasetMetadata {
  if (typeof patch !== "object" || patch === null || Array.isArray(patch)) {
    throw invalid('metadata must be a JSON object, such as {"customer": 42}');
  }
  const fields = new Map(Object.entries(metadata));
  for (const [name, value] of Object.entries(patch)) {
    checkFieldName(name, "metadata");
    if (value === null || value === undefined) fields.delete(name);
    else fields.set(name, readValue(name, value));
  }
  const changed = Object.fromEntries([...fields].toSorted(([one], [other]) => (one < other ? -1 : 1)));
  return checkSize(changed);
}

/** Throws `invalid` for a name that no field can have; `where` is the object that contains the field. */
export function checkFieldName(name: string, where: string): void {
  const shown = JSON.stringify(Array.from(name).slice(0, maxMetadata.nameCharacters).join(""));
  if (name === "") throw invalid(`${where} has a field without a name`);
  if (Array.from(name).length > maxMetadata.nameCharacters) {
    throw invalid(`${where}: the name of the field ${shown}… is longer than ${maxMetadata.nameCharacters} characters`);
  }
  if (name.startsWith("$")) throw invalid(`${where}: the field ${shown} begins with $, as operators of filters do`);
  if (name === "__proto__" || !isPlainText(name)) {
    throw invalid(`${where}: a field cannot have the name ${shown}; use letters, digits, dashes and underscores`);
  }
}

/** Throws `invalid` for a text or number that cannot be stored or compared; `where` names its field. */
export function checkScalar(value: Scalar, where: string): Scalar {
  if (typeof value === "string") {
    if (!value.isWellFormed() || value.includes("\0")) throw invalid(`${where} has characters that are not text`);
    if (Buffer.byteLength(value) > maxMetadata.textBytes)
      throw invalid(`${where} is longer than ${maxMetadata.textBytes} bytes`);
  }
  if (typeof value === "number" && !Number.isFinite(value)) throw invalid(`${where} is not a finite number`);
  // Minus zero equals zero, but would be written differently.
  return value === 0 ? 0 : value;
}

export const isScalar = (value: unknown): value is Scalar =>
  typeof value === "string" || typeof value === "number" || typeof value === "boolean";

function readValue(name: string, value: unknown): Scalar | readonly Scalar[] {
  const where = `metadata.${name}`;
  if (isScalar(value)) return checkScalar(value, where);
  if (!Array.isArray(value) || !value.every(isScalar)) {
    throw invalid(`${where} must be a text, a number, true or false, or a list of those; null removes it`);
  }
  return value.map((one) => checkScalar(one, where));
}

function checkSize(metadata: DatasetMetadata): DatasetMetadata {
  const all = Object.values(metadata);
  if (all.length > maxMetadata.fields)
    throw invalid(`metadata has ${all.length} fields; it may have ${maxMetadata.fields}`);
  const values = all.reduce<number>((sum, value) => sum + (isScalar(value) ? 1 : value.length), 0);
  if (values > maxMetadata.values) throw invalid(`metadata has ${values} values; it may have ${maxMetadata.values}`);
  const bytes = Buffer.byteLength(JSON.stringify(metadata));
  if (bytes > maxMetadata.bytes) throw invalid(`metadata is ${bytes} bytes of JSON; it may be ${maxMetadata.bytes}`);
  return metadata;
}

const isPlainText = (text: string): boolean => text.isWellFormed() && !/[\p{Cc}\p{Cf}]/u.test(text);
