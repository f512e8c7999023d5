import { BinaryReader, type WireType } from "@bufbuild/protobuf/wire";

/** Every field of a message. What is not read of a field is skipped. */
export function* fieldsOf(message: Uint8Array): Generator<{ field: number; type: WireType; reader: BinaryReader }> {
  const reader = new BinaryReader(message);
  while (reader.pos < reader.len) {
    const [field, type] = reader.tag();
    const before = reader.pos;
    yield { field, type, reader };
    if (reader.pos === before) reader.skip(type);
  }
}
