import { BinaryReader, WireType } from "@bufbuild/protobuf/wire";

/** A span as a receiver got it. */
export interface SentSpan {
  /** Hexadecimal. */
  readonly traceId: string;
  readonly spanId: string;
  /** Empty: it has none. */
  readonly parentSpanId: string;
  readonly name: string;
  /** As OTLP numbers them: 2 is a server's, 5 a consumer's. */
  readonly kind: number;
  /** Nanoseconds since the epoch. */
  readonly start: bigint;
  readonly end: bigint;
  readonly attributes: Readonly<Record<string, Value>>;
  readonly isError: boolean;
  readonly resource: Readonly<Record<string, Value>>;
}

type Value = string | number | boolean;

/** Reads an ExportTraceServiceRequest in JSON. */
export function fromJson(body: Buffer): SentSpan[] {
  const request = JSON.parse(body.toString("utf8")) as JsonRequest;
  return request.resourceSpans.flatMap(({ resource, scopeSpans }) =>
    scopeSpans.flatMap(({ spans }) =>
      spans.map((span) => ({
        traceId: span.traceId,
        spanId: span.spanId,
        parentSpanId: span.parentSpanId ?? "",
        name: span.name,
        kind: span.kind,
        start: BigInt(span.startTimeUnixNano),
        end: BigInt(span.endTimeUnixNano),
        attributes: jsonAttributes(span.attributes),
        isError: span.status.code === errorCode,
        resource: jsonAttributes(resource.attributes),
      })),
    ),
  );
}

const errorCode = 2;

interface JsonRequest {
  readonly resourceSpans: {
    readonly resource: { readonly attributes: JsonAttribute[] };
    readonly scopeSpans: {
      readonly spans: {
        readonly traceId: string;
        readonly spanId: string;
        readonly parentSpanId?: string;
        readonly name: string;
        readonly kind: number;
        readonly startTimeUnixNano: string;
        readonly endTimeUnixNano: string;
        readonly attributes: JsonAttribute[];
        readonly status: { readonly code: number };
      }[];
    }[];
  }[];
}

interface JsonAttribute {
  readonly key: string;
  readonly value: { readonly stringValue?: string; readonly intValue?: number | string; readonly boolValue?: boolean };
}

const jsonAttributes = (attributes: JsonAttribute[]): Record<string, Value> =>
  Object.fromEntries(
    attributes.map(({ key, value }) => [key, value.stringValue ?? value.boolValue ?? Number(Object.values(value)[0])]),
  );

/**
 * Reads an ExportTraceServiceRequest in protobuf, by the field numbers of
 * https://github.com/open-telemetry/opentelemetry-proto/blob/v1.7.0/opentelemetry/proto/trace/v1/trace.proto.
 */
export function fromProtobuf(body: Buffer): SentSpan[] {
  return messages(fieldsOf(body), 1).flatMap((resourceSpans) => {
    const resource = attributesOf(messages(resourceSpans, 1).flatMap((fields) => messages(fields, 1)));
    return messages(resourceSpans, 2)
      .flatMap((scopeSpans) => messages(scopeSpans, 2))
      .map((span) => ({
        traceId: hex(span, 1),
        spanId: hex(span, 2),
        parentSpanId: hex(span, 4),
        name: text(span, 5),
        kind: Number(span.get(6)?.[0] ?? 0),
        start: number(span, 7),
        end: number(span, 8),
        attributes: attributesOf(messages(span, 9)),
        isError: messages(span, 15).some((status) => Number(status.get(3)?.[0] ?? 0) === errorCode),
        resource,
      }));
  });
}

/** The values of a message by field number. */
type Fields = ReadonlyMap<number, readonly (Uint8Array | bigint | number)[]>;

function fieldsOf(bytes: Uint8Array): Fields {
  const reader = new BinaryReader(bytes);
  const fields = new Map<number, (Uint8Array | bigint | number)[]>();
  while (reader.pos < reader.len) {
    const [number, type] = reader.tag();
    fields.set(number, [...(fields.get(number) ?? []), read(reader, type)]);
  }
  return fields;
}

function read(reader: BinaryReader, type: WireType): Uint8Array | bigint | number {
  switch (type) {
    case WireType.Varint:
      return BigInt(reader.int64());
    case WireType.Bit64:
      return BigInt(reader.fixed64());
    case WireType.LengthDelimited:
      return reader.bytes();
    case WireType.Bit32:
      return reader.fixed32();
    default:
      throw new Error(`wire type ${type}`);
  }
}

const bytesOf = (fields: Fields, number: number): Uint8Array[] =>
  (fields.get(number) ?? []).filter((value) => value instanceof Uint8Array);
const messages = (fields: Fields, number: number): Fields[] => bytesOf(fields, number).map(fieldsOf);
const hex = (fields: Fields, number: number): string =>
  Buffer.from(bytesOf(fields, number)[0] ?? new Uint8Array()).toString("hex");
const text = (fields: Fields, number: number): string =>
  Buffer.from(bytesOf(fields, number)[0] ?? new Uint8Array()).toString("utf8");
const number = (fields: Fields, at: number): bigint => {
  const [value] = fields.get(at) ?? [];
  return typeof value === "bigint" ? value : 0n;
};

const attributesOf = (keyValues: readonly Fields[]): Record<string, Value> =>
  Object.fromEntries(keyValues.map((fields) => [text(fields, 1), valueOf(messages(fields, 2)[0] ?? new Map())]));

function valueOf(value: Fields): Value {
  if (value.has(1)) return text(value, 1);
  if (value.has(2)) return number(value, 2) === 1n;
  if (value.has(3)) return Number(number(value, 3));
  throw new Error(`an attribute of another kind: ${[...value.keys()].join(", ")}`);
}
