import type { DescField, DescMessage, JsonObject, JsonValue } from "@bufbuild/protobuf";
import fc from "fast-check";
import { nobody } from "../tenants/ids.ts";

/** Texts that have broken other programs. No name among them is ever looked up: addresses are literal and lead nowhere. */
const texts: readonly string[] = [
  "",
  " ",
  "\0",
  "a\0b",
  "\r\nx-injected: 1",
  "\ud800",
  "a\udfffb",
  "\u202egpj.exe",
  "\ufeff",
  "\u{1f4a9}",
  "é".repeat(5_000),
  "x".repeat(70_000),
  "..",
  "../../../../etc/passwd",
  "..\\..\\windows\\win.ini",
  "%2e%2e%2f",
  "%00",
  "%c0%ae%c0%ae/",
  "file:///etc/passwd",
  "http://127.0.0.1:1/",
  "http://[::1]:1/x.pdf",
  "http://0x7f000001:1/",
  "http://user:word@127.0.0.1:1/",
  "gopher://127.0.0.1:1/_x",
  "data:image/png;base64,AAAA",
  "data:image/png;base64,====",
  "data:image/svg+xml;base64,PHN2Zy8+",
  "data:,",
  "__proto__",
  "constructor",
  "toString",
  "hasOwnProperty",
  "null",
  "undefined",
  "NaN",
  "-0",
  "1e999",
  "0x10",
  "' or '1'='1",
  "'; drop table datasets; --",
  '" or 1=1 --',
  "${7*7}{{7*7}}",
  "%s%n%x",
  "<script>alert(1)</script>",
  "$(id)`id`|id;id",
  "*",
  "%",
  "_",
  "1:",
  ":1",
  "1:0",
  "1,2,3,4:5",
  "99999999999999999999",
  "-createdAt",
  "createdAt,",
  "extract",
  "datasets/extract",
  "SUCCESS",
  "JOB_STATUS_UNSPECIFIED",
  "jpg",
  "admin",
  ...Object.values(nobody),
  nobody.dataset.toUpperCase(),
  `${nobody.dataset}\n`,
  "ds_8zzzzzzzzzzzzzzzzzzzzzzzzz",
  "dsx_01jzzzzzzzzzzzzzzzzzzzzzzzzzzzzzj",
];

const numbers: readonly number[] = [
  0,
  -0,
  1,
  -1,
  0.5,
  99,
  100,
  101,
  10_000,
  10_001,
  604_800,
  604_801,
  2 ** 31 - 1,
  2 ** 31,
  2 ** 32 - 1,
  2 ** 32,
  2 ** 53,
  2 ** 63,
  -(2 ** 31),
  1e308,
  -1e308,
  5e-324,
];

export const hostileText: fc.Arbitrary<string> = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...texts) },
  { weight: 1, arbitrary: fc.string({ unit: "binary", maxLength: 40 }) },
  { weight: 1, arbitrary: fc.string({ unit: "grapheme", maxLength: 200 }) },
  // Half of a surrogate pair anywhere.
  {
    weight: 1,
    arbitrary: fc
      .array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 20 })
      .map((units) => String.fromCharCode(...units)),
  },
);

const hostileNumber: fc.Arbitrary<number> = fc.oneof(
  fc.constantFrom(...numbers),
  fc.integer(),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
);

const deep = (depth: number): JsonValue => (depth === 0 ? {} : { a: [deep(depth - 1)] });

/** Generates any JSON, regardless of the field's type. */
const hostileJson: fc.Arbitrary<JsonValue> = fc.oneof(
  hostileText,
  hostileNumber,
  fc.constantFrom<JsonValue>(null, true, false, [], {}, [[]], [null], { query: {} }, deep(60), "NaN", "Infinity"),
  fc.array(hostileText, { maxLength: 5 }),
  fc.dictionary(hostileText, hostileText, { maxKeys: 3 }),
);

/** A message whose fields are partly right, partly anything, with some that it does not have. */
export function hostileMessage(desc: DescMessage): fc.Arbitrary<JsonObject> {
  const fields = Object.fromEntries(
    desc.fields.map((field) => [field.jsonName, fc.option(fieldValue(field), { nil: undefined, freq: 5 })]),
  );
  const extra = fc.oneof(
    { weight: 6, arbitrary: fc.constant<JsonObject>({}) },
    { weight: 1, arbitrary: fc.dictionary(hostileText, hostileJson, { maxKeys: 3 }) },
  );
  return fc.tuple(fc.record(fields), extra).map(([known, unknown]) => {
    const entries = Object.entries(known).flatMap(([name, value]): [string, JsonValue][] =>
      value === undefined ? [] : [[name, value]],
    );
    return { ...Object.fromEntries(entries), ...unknown };
  });
}

function fieldValue(field: DescField): fc.Arbitrary<JsonValue> {
  const fitting = fittingValue(field);
  return fc.oneof({ weight: 3, arbitrary: fitting }, { weight: 1, arbitrary: hostileJson });
}

/** Generates a value of the right type, or almost. */
function fittingValue(field: DescField): fc.Arbitrary<JsonValue> {
  if (field.fieldKind === "list") {
    const item = field.message === undefined ? fc.oneof(hostileText, hostileNumber) : hostileMessage(field.message);
    return fc.array<JsonValue>(item, { maxLength: 4 });
  }
  if (field.message?.typeName === "google.protobuf.Struct")
    return fc.dictionary(hostileText, hostileJson, { maxKeys: 4 });
  if (field.message !== undefined) return hostileMessage(field.message);
  if (field.enum !== undefined) {
    return fc.constantFrom<JsonValue>(...field.enum.values.map(({ jsonName, name }) => jsonName ?? name), 1, 2, 99, -1);
  }
  return fc.oneof(hostileText, hostileNumber);
}
