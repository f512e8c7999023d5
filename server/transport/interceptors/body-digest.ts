import { createHash } from "node:crypto";
import {
  create,
  type DescField,
  type DescMessage,
  type JsonValue,
  type Message,
  ScalarType,
  toJson,
} from "@bufbuild/protobuf";
import { reflect } from "@bufbuild/protobuf/reflect";
import type { BodyDigest } from "../../domain/ports/requests.ts";

export interface BodyDigester {
  /** Bytes of the file received so far. */
  readonly fileBytes: number;
  /** Adds a message of the request; does not keep its bytes. */
  add(message: Message): void;
  digest(): BodyDigest;
}

/**
 * Computes a digest that is equal for equal requests, whatever their protocol and however their file is cut into
 * pieces: SHA-256 over the fields (if a field comes twice, the first counts, as for uploads) and the file.
 */
export function createBodyDigester(desc: DescMessage): BodyDigester {
  const file = createHash("sha256");
  const fields = new Map<string, JsonValue>();
  let fileBytes = 0;
  return {
    get fileBytes() {
      return fileBytes;
    },
    add(message) {
      const said = reflect(desc, message);
      const rest = reflect(desc, create(desc));
      for (const field of desc.fields) {
        if (!said.isSet(field)) continue;
        const value: unknown = said.get(field);
        if (isBytes(field) && value instanceof Uint8Array) {
          file.update(value);
          fileBytes += value.length;
        } else rest.set(field, value);
      }
      const json = toJson(desc, rest.message);
      if (typeof json !== "object" || json === null || Array.isArray(json)) return;
      for (const [name, value] of Object.entries(json)) if (!fields.has(name)) fields.set(name, value);
    },
    digest() {
      const said = JSON.stringify([...fields].sort(([a], [b]) => (a < b ? -1 : 1)));
      const sha256 = createHash("sha256").update(said).update(file.copy().digest()).digest("hex");
      return { sha256, fileBytes };
    },
  };
}

function isBytes(field: DescField): boolean {
  return field.fieldKind === "scalar" && field.scalar === ScalarType.BYTES;
}
