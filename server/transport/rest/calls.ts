import {
  create,
  type DescMessage,
  type DescMethod,
  type Message,
  type MessageInitShape,
  type MessageShape,
} from "@bufbuild/protobuf";
import {
  type ConnectRouter,
  createMethodImplSpec,
  createServiceImplSpec,
  type HandlerContext,
  type Interceptor,
  type MethodImplSpec,
} from "@connectrpc/connect";

/** Calls methods in this process, through the same interceptors as calls from outside. */
export interface Calls {
  unary(method: DescMethod, message: Message, context: HandlerContext): Promise<Message>;
  /** Returns the one answer of a client-streaming method, or the messages of a server-streaming method. */
  stream(
    method: DescMethod,
    messages: AsyncIterable<Message>,
    context: HandlerContext,
  ): Promise<AsyncIterable<Message>>;
}

type Next = ReturnType<Interceptor>;

/**
 * Collects the implementations that the routes register, to call them directly. Connect's own in-memory transport would
 * serialize and parse every message, which for an upload means two more copies of the document.
 */
export function createCalls(routes: (router: ConnectRouter) => void, interceptors: readonly Interceptor[]): Calls {
  const implementations = new Map<DescMethod, MethodImplSpec>();
  const router: ConnectRouter = {
    handlers: [],
    service(service, implementation) {
      for (const spec of Object.values(createServiceImplSpec(service, implementation).methods)) {
        implementations.set(spec.method, spec);
      }
      return router;
    },
    rpc(method, implementation) {
      implementations.set(method, createMethodImplSpec(method, implementation));
      return router;
    },
  };
  routes(router);

  const specOf = (method: DescMethod): MethodImplSpec => {
    const spec = implementations.get(method);
    if (spec === undefined) throw new Error(`${method.parent.typeName}/${method.name} has no implementation`);
    return spec;
  };
  const intercepted = (call: Next): Next => interceptors.reduceRight((next, interceptor) => interceptor(next), call);

  return {
    async unary(method, message, context) {
      const spec = specOf(method);
      if (spec.kind !== "unary") throw new Error(`${method.name} is not unary`);
      const call = intercepted(async (req) => {
        if (req.stream) throw new Error(`${method.name} is not a stream`);
        const answer = await spec.impl(req.message, { ...context, signal: req.signal });
        return { stream: false, method: spec.method, message: asMessage(method.output, answer), ...answering(context) };
      });
      const res = await call({ stream: false, method: spec.method, message, ...asking(context) });
      if (res.stream) throw new Error(`${method.name} answered with a stream`);
      return res.message;
    },
    async stream(method, messages, context) {
      const spec = specOf(method);
      if (spec.kind === "unary") throw new Error(`${method.name} is not a stream`);
      const call = intercepted(async (req) => {
        if (!req.stream) throw new Error(`${method.name} is a stream`);
        const answers = await invoke(spec, req.message, { ...context, signal: req.signal });
        return { stream: true, method: spec.method, message: answers, ...answering(context) };
      });
      const res = await call({ stream: true, method: spec.method, message: messages, ...asking(context) });
      if (!res.stream) throw new Error(`${method.name} did not answer with a stream`);
      return res.message;
    },
  };
}

async function invoke(
  spec: Exclude<MethodImplSpec, { kind: "unary" }>,
  messages: AsyncIterable<Message>,
  context: HandlerContext,
): Promise<AsyncIterable<Message>> {
  const { output } = spec.method;
  if (spec.kind === "client_streaming") return single(asMessage(output, await spec.impl(messages, context)));
  if (spec.kind === "bidi_streaming") return asMessages(output, spec.impl(messages, context));
  for await (const message of messages) return asMessages(output, spec.impl(message, context));
  throw new Error(`${spec.method.name} was called without a message`);
}

const asMessage = (desc: DescMessage, init: MessageInitShape<DescMessage>): MessageShape<DescMessage> =>
  create(desc, init);

async function* asMessages(
  desc: DescMessage,
  inits: AsyncIterable<MessageInitShape<DescMessage>>,
): AsyncGenerator<Message> {
  for await (const init of inits) yield asMessage(desc, init);
}

async function* single(message: Message): AsyncGenerator<Message> {
  yield message;
}

function asking({ service, requestMethod, url, signal, requestHeader, values }: HandlerContext) {
  return { service, requestMethod, url, signal, header: requestHeader, contextValues: values };
}

function answering({ service, responseHeader, responseTrailer }: HandlerContext) {
  return { service, header: responseHeader, trailer: responseTrailer };
}
