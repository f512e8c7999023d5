import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import type { DescMethod, DescService } from "@bufbuild/protobuf";
import { createValidator, type Validator } from "@bufbuild/protovalidate";
import type { ConnectRouter } from "@connectrpc/connect";
import type { Logger } from "pino";
import { Registry } from "prom-client";
import type { Attempts } from "../domain/idempotency/attempts.ts";
import { noRequestSpan, noTracing, type Tracing } from "../domain/ports/tracing.ts";
import type { Authenticate } from "../domain/authenticate.ts";
import { createGate, type GateLimits, accessOf } from "./access/gate.ts";
import { createOperatorCheck } from "./access/operator.ts";
import { createDispatch, type DispatchTable, type Handler } from "./dispatch.ts";
import { createConsole, type ReadConsole } from "./endpoints/console.ts";
import { createDocs, toDocs } from "./endpoints/docs.ts";
import { createMcpHandler, type McpEndpoint, mcpPath } from "./endpoints/mcp.ts";
import { createMetrics, type Metrics } from "./endpoints/metrics.ts";
import { createServiceEndpoints, type ProveIdentity } from "./endpoints/service.ts";
import { createSignInEndpoints } from "./endpoints/sign-in.ts";
import { createShareHandler, type OpenShare, sharePrefix, type ShareDelivery } from "./endpoints/share.ts";
import type { ProviderSignIn } from "../domain/ports/provider-sign-in.ts";
import { createBaseUrl } from "./http/base-url.ts";
import { countedNetworkOf, createClientAddress, createTrust } from "./http/client-address.ts";
import { beginExchange, type Exchange } from "./http/exchange.ts";
import { answerPreflight, setCommonHeaders } from "./http/headers.ts";
import { createInternalFetch, type InternalFetch } from "./http/internal.ts";
import { createListener } from "./http/listener.ts";
import { sendError } from "./http/reply.ts";
import { logRequest, requestEnd } from "./http/request-end.ts";
import { createInterceptors } from "./interceptors/chain.ts";
import { createDrain, type Drain } from "./interceptors/drain.ts";
import type { Creation } from "./interceptors/idempotency.ts";
import { compileRules } from "./interceptors/validate.ts";
import { anonymous, createAdmission, type ConcurrencyLimits, type WorkKind } from "./limits/admission.ts";
import { createPace, type SlowClientLimits } from "./limits/pace.ts";
import type { Rates } from "./limits/rates.ts";
import { createTranscoder } from "./rest/transcoder.ts";
import { createConnectHandlers } from "./rpc/connect.ts";
import { type CheckReadiness, protocolServices } from "./rpc/protocol-services.ts";
import { answerUnknownPath } from "./rpc/unknown-method.ts";

export interface TransportOptions {
  /** Registers the implementations of the services below. */
  readonly routes: (router: ConnectRouter) => void;
  readonly services: readonly DescService[];
  readonly authenticate: Authenticate;
  readonly openShare: OpenShare;
  /** Bounds of the requests of callers; undefined for no bound. */
  readonly rates?: Rates | undefined;
  /** Methods that run once, however often they are called with the same idempotency key. */
  readonly idempotency: { readonly attempts: Attempts; readonly creations: ReadonlyMap<DescMethod, Creation> };
  readonly readiness: CheckReadiness;
  /**
   * Answers challenges of clients on this machine that expect the server of a data folder; undefined to answer none.
   */
  readonly proveIdentity?: ProveIdentity | undefined;
  /** Further metrics for /metrics; undefined for none. */
  readonly registry?: Registry | undefined;
  /** The state that /operator/state shows to operators; undefined for none. */
  readonly operatorState?: (() => Promise<object>) | undefined;
  /** Receives a span of each request; undefined for no tracing. */
  readonly tracing?: Tracing | undefined;
  readonly log: Logger;
  /** Maximum number of concurrent requests. */
  readonly concurrency?: ConcurrencyLimits | undefined;
  /** Maps an address to the network that its clients are counted by; undefined if they are not counted. */
  readonly countedNetwork?: (address: string) => string | undefined;
  /** How slow clients may be. */
  readonly slowClientLimits?: SlowClientLimits | undefined;
  /** The largest message over Connect, gRPC and gRPC-Web. */
  readonly maxMessageBytes?: number | undefined;
  /**
   * The public address of the server, without a trailing slash; undefined to use the address that each request names.
   */
  readonly publicUrl?: string | undefined;
  /** Addresses and ranges (CIDR) of proxies whose headers about the client are trusted; undefined for none. */
  readonly trustedProxies?: readonly string[] | undefined;
  /** How the bytes behind share links reach their readers; by default through this server. */
  readonly shareDelivery?: ShareDelivery | undefined;
  /** Signs in people who come back from an identity provider; undefined if there is none. */
  readonly providerSignIn?: ProviderSignIn | undefined;
  /** Answers requests of models at /mcp; undefined for no endpoint. */
  readonly mcp?: McpEndpoint | undefined;
  /** The files of the web console; undefined if there is none. */
  readonly console?: ReadConsole | undefined;
}

export interface Transport {
  /** Resolves with the base URL when connections are accepted. Port 0 picks any free port. */
  listen(host: string, port: number): Promise<string>;
  /** Does in advance what the first call of each method would wait for. */
  warmUp(signal: AbortSignal): Promise<void>;
  /**
   * Stops the server: it accepts no new requests, at once ends streams that follow something, and gives everything
   * else `graceMs` to finish before it is aborted. Resolves when no call is running any more.
   */
  close(graceMs?: number): Promise<void>;
}

/** As long as process managers usually wait before they kill a process, less a margin. */
const defaultGraceMs = 8_000;
/** Time for calls to clean up after they have been aborted. */
const cleanUpMs = 1_500;

/** One port, one implementation and one chain of checks for Connect, gRPC, gRPC-Web and REST. */
export function createTransport(options: TransportOptions): Transport {
  const { log, tracing = noTracing } = options;
  const isTrusted = createTrust(options.trustedProxies ?? []);
  const clientAddressOf = createClientAddress(isTrusted);
  // A proxy stands for many clients, even if it does not say for which.
  const countedNetwork = (address: string): string | undefined =>
    isTrusted(address) ? undefined : (options.countedNetwork ?? countedNetworkOf)(address);
  const metrics = createMetrics(options.registry ?? new Registry());
  const drain = createDrain();
  const pace = createPace(options.slowClientLimits, metrics.cut);
  const admission = createAdmission({ concurrency: options.concurrency, onRefusal: metrics.refused });
  metrics.show(admission);
  const validator = createValidator();
  let url = "";
  const baseUrlOf = createBaseUrl({ ...options, listening: () => url });
  let isDraining = false;

  const endpoints = createEndpoints(options, {
    limits: { admission, rates: options.rates, networkOf: ({ remoteAddress }) => countedNetwork(remoteAddress) },
    drain,
    validator,
    registry: metrics.registry,
    readiness: async () => (isDraining ? drained : options.readiness()),
  });
  const serve = createServe(metrics);
  // Requests in progress may call whatever they need to finish.
  const dispatchInternal = createDispatch({ ...endpoints.internal, isDraining: () => false });
  const internalFetch = createInternalFetch((request, response, { record }) => {
    const exchange = beginExchange(request, response, {
      log,
      baseUrlOf: () => record.baseUrl,
      clientAddressOf: () => record.remoteAddress,
      beginSpan: () => tracing.request({ traceparent: tracing.traceparent() ?? undefined }),
    });
    serve(exchange, dispatchInternal);
  });
  const dispatch = createDispatch({ ...endpoints.forClients(internalFetch), isDraining: () => isDraining });
  const listener = createListener(
    (request, response) => {
      const exchange = beginExchange(request, response, {
        log,
        baseUrlOf,
        clientAddressOf,
        // Probes never stop, and nobody looks at their spans.
        beginSpan: (path, headers) => (endpoints.internal.always.has(path) ? noRequestSpan : tracing.request(headers)),
      });
      if (isDraining && request.httpVersionMajor === 1) response.setHeader("connection", "close");
      pace.watch(exchange);
      serve(exchange, dispatch);
    },
    log,
    options.slowClientLimits,
    undefined,
    { countedNetwork, onRefusal: metrics.refused },
  );

  return {
    async listen(host, port) {
      const address = await listener.listen(host, port);
      url = urlOf(address);
      return url;
    },
    warmUp: (signal) => compileRules(validator, methodsOf(options.services), signal),
    async close(graceMs = defaultGraceMs) {
      isDraining = true;
      drain.stopFollowing();
      await listener.close(graceMs);
      pace.stop();
      drain.stopAll();
      await Promise.race([drain.idle(), sleep(cleanUpMs, undefined, { ref: false })]);
    },
  };
}

const methodsOf = (services: readonly DescService[]): readonly DescMethod[] =>
  services.flatMap((service) => service.methods);

interface Shared {
  readonly limits: GateLimits;
  readonly drain: Drain;
  readonly validator: Validator;
  readonly registry: Registry;
  readonly readiness: CheckReadiness;
}

type Routing = Omit<DispatchTable, "isDraining">;

interface Endpoints {
  /** Paths for requests of this process itself. */
  readonly internal: Routing;
  /** Paths for clients: those above, and the documentation, the tools for models and the console. */
  readonly forClients: (internalFetch: InternalFetch) => Routing;
}

/** Everything that answers requests, behind the same gate and the same interceptors. */
function createEndpoints(options: TransportOptions, shared: Shared): Endpoints {
  const { services, routes, authenticate, rates } = options;
  const { limits, drain, validator, registry, readiness } = shared;
  // Throws at start, not at the first call, if a method does not say who may call it.
  const open = new Set(methodsOf(services).filter((method) => accessOf(method) === "public"));
  const gate = createGate(authenticate, limits);
  const isPublic = (method: DescMethod): boolean => open.has(method);
  const interceptors = createInterceptors({ drain, validator, rates, isPublic, ...options.idempotency });
  const enter = ({ record }: Exchange, kind: WorkKind): void => {
    const caller = kind === "service" ? undefined : anonymous;
    record.hold(limits.admission.enter(kind, { caller, address: limits.networkOf(record) }));
  };
  const enterOther = (exchange: Exchange): void => enter(exchange, "other");
  const always = createServiceEndpoints({
    readiness,
    isOperator: createOperatorCheck(authenticate, rates),
    enter,
    registry,
    operatorState: options.operatorState,
    proveIdentity: options.proveIdentity,
  });
  const exact = new Map([
    ...createConnectHandlers(
      (router) => {
        routes(router);
        protocolServices({ services, readiness, limits, softStop: drain.softStop })(router);
      },
      { services, interceptors, requestGate: gate, maxMessageBytes: options.maxMessageBytes },
    ),
    ...createDocs(enterOther),
    ...createSignInEndpoints({ ...options, enter: enterOther }),
  ]);
  const transcoder = createTranscoder({ services, routes, gate, interceptors });
  const shares = (delivery: ShareDelivery): Handler =>
    createShareHandler({ ...limits, openShare: options.openShare, hardStop: drain.hardStop, delivery });
  const prefixesOf = (delivery: ShareDelivery) =>
    [
      [sharePrefix, shares(delivery)],
      ["/v1/", transcoder],
    ] as const;

  return {
    internal: { always, exact, prefixes: prefixesOf("stream"), otherwise: answerUnknownPath },
    forClients(internalFetch) {
      const { mcp } = options;
      const models: [string, Handler][] =
        mcp === undefined ? [] : [[mcpPath, createMcpHandler({ ...options, ...limits, ...drain, mcp, internalFetch })]];
      const console = options.console && createConsole(options.console, enterOther);
      return {
        always,
        exact: new Map([["/", toDocs], ...exact, ...models, ...(console?.exact ?? [])]),
        prefixes: [...prefixesOf(options.shareDelivery ?? "stream"), ...(console?.prefixes ?? [])],
        otherwise: answerUnknownPath,
      };
    },
  };
}

/** Answers an exchange by the handler of its path; its log line, metrics and span are written when the answer is over. */
function createServe(metrics: Metrics): (exchange: Exchange, dispatch: Handler) => void {
  return (exchange, dispatch) => {
    const { response } = exchange;
    const startedAt = performance.now();
    setCommonHeaders(exchange);
    response.once("close", () => {
      const ms = Math.round(performance.now() - startedAt);
      logRequest(exchange, ms);
      metrics.observe(exchange.record, ms / 1000);
      exchange.span.end(requestEnd(exchange));
    });
    if (answerPreflight(exchange)) return;
    exchange.span
      .run(() => dispatch(exchange))
      .catch((cause: unknown) => sendError(exchange, cause))
      .catch((cause: unknown) => {
        exchange.record.log.error({ err: cause }, "an answer could not be written");
        response.destroy();
      });
  };
}

const drained = { ready: false, checks: { server: "shutting down" } };

function urlOf({ address, family, port }: AddressInfo): string {
  return `http://${family === "IPv6" ? `[${address}]` : address}:${port}`;
}
