import { once } from "node:events";
import { Busboy, type BusboyInstance } from "@fastify/busboy";
import { invalid, tooLarge } from "../../domain/errors.ts";

/** One part of a multipart/form-data body (RFC 7578). */
export type FormPart =
  | { readonly kind: "field"; readonly name: string; readonly value: string }
  | {
      readonly kind: "file";
      readonly name: string;
      /** Without folders; empty if the client gave none. */
      readonly fileName: string;
      /** To be read to its end, or not at all if nothing more of the form is wanted. */
      readonly bytes: AsyncIterable<Uint8Array>;
    };

/** No form of ours comes near; what is larger is not meant for us. */
const maxFields = 100;
/** The largest field is a list of some ten thousand upload parts as JSON. */
const maxFieldBytes = 2 ** 20;
/** Enough read ahead for the client to keep sending while the disk writes. */
const fileWindowBytes = 256 * 1024;

/**
 * The parts of a form in the order they come in, read as fast as they are taken: of a file never more than a window is
 * held. Whoever stops early leaves the rest of the body unread. Throws `invalid` for a body that is no complete form,
 * `too_large` for an oversized field.
 */
export async function* readParts(contentType: string, body: AsyncIterable<Uint8Array>): AsyncGenerator<FormPart> {
  const queue = createQueue<FormPart>();
  const stopped = new AbortController();
  const parser = createParser(contentType);
  let endFile: ((cause: Error) => void) | undefined;
  // The first failure; it ends both what is being read now (the file) and what would come next (the queue).
  let failure: Error | undefined;
  const fail = (cause: Error): void => {
    failure ??= cause;
    endFile?.(failure);
    queue.fail(failure);
    stopped.abort();
  };
  async function* bytesOf(stream: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    try {
      yield* stream;
    } catch (cause) {
      // Where the body ends within the file, the parser breaks off the file before it says that the body is broken.
      throw failure ?? broken(cause);
    }
  }

  parser.on("field", (name, value, _nameCut, valueCut) => {
    if (valueCut) fail(tooLarge(`the form field ${name} is longer than ${maxFieldBytes} bytes`));
    else queue.push({ kind: "field", name, value });
  });
  parser.on("file", (name, stream, fileName) => {
    endFile = (cause) => stream.destroy(cause);
    // Its reader sees the error; without a listener one that nobody reads would end the process.
    stream.on("error", () => undefined);
    queue.push({ kind: "file", name, fileName: fileName ?? "", bytes: bytesOf(stream) });
  });
  parser.on("filesLimit", () => fail(invalid("send one file only")));
  parser.on("fieldsLimit", () => fail(invalid(`the form has more than ${maxFields} fields`)));
  parser.on("error", (cause) => fail(broken(cause)));
  parser.on("finish", () => queue.end());
  feed(body, parser, stopped.signal).catch((cause: unknown) => {
    fail(cause instanceof Error ? cause : new Error(String(cause)));
  });

  try {
    yield* queue.items();
  } finally {
    // The feeding ends by itself with the next bytes; waiting for them could take as long as the client likes. The
    // listener discards what is left once the request has been answered.
    stopped.abort();
    endFile?.(new Error("the form is not read any further"));
  }
}

function broken(cause: unknown): Error {
  return invalid("the multipart body is broken or ends too early", { cause });
}

function createParser(contentType: string): BusboyInstance {
  try {
    return new Busboy({
      headers: { "content-type": contentType },
      limits: { files: 1, fields: maxFields, fieldSize: maxFieldBytes, headerPairs: 50, headerSize: 16 * 1024 },
      fileHwm: fileWindowBytes,
      highWaterMark: fileWindowBytes,
    });
  } catch (cause) {
    throw invalid("the Content-Type multipart/form-data needs a boundary", { cause });
  }
}

async function feed(body: AsyncIterable<Uint8Array>, parser: BusboyInstance, stopped: AbortSignal): Promise<void> {
  try {
    for await (const chunk of body) {
      if (stopped.aborted) return;
      if (!parser.write(chunk)) await once(parser, "drain", { signal: stopped });
    }
    parser.end();
  } catch (cause) {
    // Woken because nobody reads on.
    if (!stopped.aborted) throw cause;
  }
}

/** Hands items from the parser's events to a reader. Bounded by the limits of the parser. */
function createQueue<Item>() {
  const waiting: Item[] = [];
  let isEnded = false;
  let failure: Error | undefined;
  let changed = Promise.withResolvers<void>();
  const wake = (): void => {
    changed.resolve();
    changed = Promise.withResolvers();
  };
  return {
    push(item: Item): void {
      waiting.push(item);
      wake();
    },
    end(): void {
      isEnded = true;
      wake();
    },
    fail(cause: Error): void {
      failure = cause;
      wake();
    },
    async *items(): AsyncGenerator<Item> {
      for (;;) {
        const next = changed.promise;
        if (failure !== undefined) throw failure;
        const item = waiting.shift();
        if (item !== undefined) yield item;
        else if (isEnded) return;
        else await next;
      }
    },
  };
}
