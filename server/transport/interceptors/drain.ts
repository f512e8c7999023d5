import { type DescMethod, getOption } from "@bufbuild/protobuf";
import { Code, ConnectError, type Interceptor } from "@connectrpc/connect";
import { rest } from "@drs/client/gen/drs/rest/v1/rest_pb";

/** Ends calls when the server stops: first those that would never end by themselves, finally all. */
export interface Drain {
  readonly interceptor: Interceptor;
  /** Aborted at the end of the grace period. */
  readonly hardStop: AbortSignal;
  /** Aborted at the start of the grace period. */
  readonly softStop: AbortSignal;
  /** Ends streams that follow something. Uploads, downloads and short calls continue. */
  stopFollowing(): void;
  /** Ends all calls. */
  stopAll(): void;
  /** Resolves when no call is running. */
  idle(): Promise<void>;
}

export function createDrain(): Drain {
  const soft = new AbortController();
  const hard = new AbortController();
  const reason = (): ConnectError => new ConnectError("the server is shutting down; try again", Code.Unavailable);
  let running = 0;
  let whenIdle = Promise.withResolvers<void>();

  const ended = (): void => {
    running -= 1;
    if (running === 0) whenIdle.resolve();
  };

  async function* counted<Item>(messages: AsyncIterable<Item>): AsyncGenerator<Item> {
    try {
      yield* messages;
    } finally {
      ended();
    }
  }

  const interceptor: Interceptor = (next) => async (req) => {
    if (running === 0) whenIdle = Promise.withResolvers();
    running += 1;
    const signal = AbortSignal.any([req.signal, isFollowing(req.method) ? soft.signal : hard.signal]);
    let isStreaming = false;
    try {
      const res = await next({ ...req, signal });
      isStreaming = res.stream;
      return res.stream ? { ...res, message: counted(res.message) } : res;
    } finally {
      if (!isStreaming) ended();
    }
  };

  return {
    interceptor,
    softStop: soft.signal,
    hardStop: hard.signal,
    stopFollowing: () => soft.abort(reason()),
    stopAll() {
      soft.abort(reason());
      hard.abort(reason());
    },
    idle: () => (running === 0 ? Promise.resolve() : whenIdle.promise),
  };
}

/**
 * Whether a method follows something, such as a job. Its events have ids, so clients can resume, and ending it loses
 * nothing.
 */
function isFollowing(method: DescMethod): boolean {
  return method.methodKind === "server_streaming" && getOption(method, rest).eventId !== "";
}
