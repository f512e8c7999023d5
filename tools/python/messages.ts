import type { DescEnum, DescMessage, DescMethod } from "@bufbuild/protobuf";
import { heldBy } from "../openapi/schemas.ts";
import { answerOf, isRaw, isUpload } from "./methods.ts";

/** The messages and enums that become classes of the Python client. */
export interface Messages {
  /** Sorted by name, but each after the messages that it contains. */
  readonly messages: readonly DescMessage[];
  readonly enums: readonly DescEnum[];
  /** Full names of the messages that are written into requests. */
  readonly asked: ReadonlySet<string>;
  /** Full names of the messages that are read out of answers. */
  readonly answered: ReadonlySet<string>;
}

/**
 * Returns the messages in requests and answers. Requests themselves have no class, because their fields are parameters. An answer
 * with a single field is replaced by that field.
 */
export function messagesOf(methods: readonly DescMethod[]): Messages {
  const byName = new Map<string, DescMessage>();
  const enums = new Map<string, DescEnum>();
  const asked = new Set<string>();
  const answered = new Set<string>();
  const collect = (message: DescMessage): void => {
    if (byName.has(message.typeName) || message.typeName.startsWith("google.protobuf.")) return;
    byName.set(message.typeName, message);
    for (const field of message.fields) {
      if (field.enum !== undefined) enums.set(field.enum.typeName, field.enum);
      if (field.message !== undefined) collect(field.message);
    }
  };
  for (const method of methods.filter((one) => !isRaw(one))) {
    const answer = answerOf(method);
    if (answer !== undefined) {
      collect(answer);
      heldBy(answer, answered);
    }
    if (isUpload(method)) continue;
    for (const field of method.input.fields) {
      if (field.enum !== undefined) enums.set(field.enum.typeName, field.enum);
      if (field.message === undefined) continue;
      collect(field.message);
      heldBy(field.message, asked);
    }
  }
  const sorted = <Desc extends { readonly name: string }>(all: Iterable<Desc>): Desc[] =>
    [...all].toSorted((one, other) => (one.name < other.name ? -1 : 1));
  return { messages: sorted(byName.values()), enums: sorted(enums.values()), asked, answered };
}
