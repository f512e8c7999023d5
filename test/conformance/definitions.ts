import { Code } from "@connectrpc/connect";
import { z } from "zod";

// What the requests of the suite ask for. Its messages have no generated types, so these parse them.

const bytes = z.instanceof(Uint8Array);

const headers = z.array(z.object({ name: z.string(), value: z.array(z.string()) }));
export type HeaderLines = z.infer<typeof headers>;

const error = z.object({
  code: z.enum(Code),
  message: z.string().optional(),
  details: z.array(z.object({ typeUrl: z.string(), value: bytes })),
});
export type ErrorDefinition = z.infer<typeof error>;

/** The beginning and the end of every answer to a call. */
const metadata = { responseHeaders: headers, responseTrailers: headers, responseDelayMs: z.number() };

const unaryDefinition = z.object({
  ...metadata,
  response: z.union([
    z.object({ case: z.literal("responseData"), value: bytes }),
    z.object({ case: z.literal("error"), value: error }),
    z.object({ case: z.undefined() }),
  ]),
});
export type UnaryDefinition = z.infer<typeof unaryDefinition>;

const streamDefinition = z.object({ ...metadata, responseData: z.array(bytes), error: error.optional() });
export type StreamDefinition = z.infer<typeof streamDefinition>;

/** The request of a unary or client-streaming method. */
export const unaryRequest = z.object({ responseDefinition: unaryDefinition.optional() });
/** The request of a server-streaming or bidirectional method. */
export const streamRequest = z.object({
  responseDefinition: streamDefinition.optional(),
  fullDuplex: z.boolean().default(false),
});

export const serverRequest = z.object({ useTls: z.boolean(), messageReceiveLimit: z.number() });
