import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import type { DescMethod, DescService } from "@bufbuild/protobuf";
import { createValidator } from "@bufbuild/protovalidate";
import type { ConnectRouter } from "@connectrpc/connect";
import type { Logger } from "pino";
import { Registry } from "prom-client";
import type { Attempts } from "../domain/idempotency/attempts.ts";
import { noRequestSpan, noTracing, type Tracing } from "../domain/ports/tracing.ts";
import { type Authenticate, createGate } from "./access/gate.ts";
import { createOperatorCheck } from "./access/operator.ts";
import { accessOf } from "./access/scopes.ts";
import { createDispatch, type Handler } from "./dispatch.ts";
import { createConsole, type ReadConsole } from "./endpoints/console.ts";
import { createDocs, toDocs } from "./endpoints/docs.ts";
import { createMcpHandler, type McpEndpoint, mcpPath } from "./endpoints/mcp.ts";
import { createMetrics } from "./endpoints/metrics.ts";
import { createServiceEndpoints, type ProveIdentity } from "./endpoints/service.ts";
import { createSignInEndpoints } from "./endpoints/sign-in.ts";
import { createShareHandler, type OpenShare, sharePrefix, type ShareDelivery } from "./endpoints/share.ts";
import type { ProviderSignIn } from "../domain/ports/provider-sign-in.ts";
import { createBaseUrl } from "./http/base-url.ts";
import { countedNetworkOf, createClientAddress } from "./http/client-address.ts";
import { beginExchange, type Exchange, type RequestRecord } from "./http/exchange.ts";
import { answerPreflight, setCommonHeaders } from "./http/headers.ts";
import { createInternalFetch } from "./http/internal.ts";
import { createListener } from "./http/listener.ts";
import { sendError } from "./http/reply.ts";
import { logRequest } from "./http/request-log.ts";
import { requestEnd } from "./http/request-span.ts";
import { createTrust } from "./http/trusted-proxies.ts";
import { createInterceptors } from "./interceptors/chain.ts";
import { createDrain } from "./interceptors/drain.ts";
import type { Creation } from "./interceptors/idempotency.ts";
import { compileRules } from "./interceptors/validate.ts";
import { anonymous, createAdmission, type ConcurrencyLimits, type WorkKind } from "./limits/admission.ts";
import { createPace, type SlowClientLimits } from "./limits/pace.ts";
import type { Rates } from "./limits/rates.ts";
import { createTranscoder } from "./rest/transcoder.ts";
import { createConnectHandlers } from "./rpc/connect.ts";
import type { CheckReadiness } from "./rpc/health.ts";
import { protocolServices } from "./rpc/protocol-services.ts";
import { answerUnknownPath } from "./rpc/unknown-method.ts";

export interface TransportOptions {
  /** Registers the implementations of the services below. */
  readonly routes: (router: ConnectRouter) => void;
  readonly services: readonly DescService[];
  readonly authenticate: Authenticate;
  readonly openShare: OpenShare;
  /** How many requests callers may send; undefined: as many as they like. */
  readonly rates?: Rates | undefined;
  /** What is done once however often it is asked for with the same key. */
  readonly idempotency: { readonly attempts: Attempts; readonly creations: ReadonlyMap<DescMethod, Creation> };
  readonly readiness: CheckReadiness;
  /** Answers challenges of clients on this machine that expect the server of a data folder; undefined: none. */
  readonly proveIdentity?: ProveIdentity | undefined;
  /** What /metrics shows beside the requests; undefined: nothing. */
  readonly registry?: Registry | undefined;
  /** What /operator/state answers to operators; undefined: nothing. */
  readonly operatorState?: (() => Promise<object>) | undefined;
  /** Gets a span of each request; undefined: nothing. */
  readonly tracing?: Tracing | undefined;
  readonly log: Logger;
  /** How many requests may be at work at the same time. */
  readonly concurrency?: ConcurrencyLimits | undefined;
  /** The network that clients from an address are counted by; undefined: by none. */
  readonly countedNetwork?: (address: string) => string | undefined;
  /** How slow clients may be. */
  readonly slowClientLimits?: SlowClientLimits | undefined;
  /** The largest message over Connect, gRPC and gRPC-Web. */
  readonly maxMessageBytes?: number | undefined;
  /** How others reach the server, without a slash at the end; undefined: each as its request says. */
  readonly publicUrl?: string | undefined;
  /** Addresses and ranges (CIDR) of proxies whose word on which client reached them, and how, is taken; undefined: none. */
  readonly trustedProxies?: readonly string[] | undefined;
  /** How the bytes behind share links reach their readers; default: through this server. */
  readonly shareDelivery?: ShareDelivery | undefined;
  /** Signs people in who come back from a provider; undefined: nobody. */
  readonly providerSignIn?: ProviderSignIn | undefined;
  /** What answers models at /mcp; undefined: nothing. */
  readonly mcp?: McpEndpoint | undefined;
  /** The files of the web console; undefined: there is none. */
  readonly console?: ReadConsole | undefined;
}

export interface Transport {
  /** Resolves with the base URL when connections are accepted. Port 0 takes any free one. */
  listen(host: string, port: number): Promise<string>;
  /** Does ahead what the first call of each method would wait for. */
  warmUp(signal: AbortSignal): Promise<void>;
  /**
   * Stops: no new requests; streams that follow something end at once, everything else gets the time to finish and
   * is then broken off. Resolves when no call is running any more.
   */
  close(graceMs?: number): Promise<void>;
}

/** As long as process managers usually wait before they kill, less a margin. */
const defaultGraceMs = 8_000;
/** What calls get to clean up after they have been broken off. */
const cleanUpMs = 1_500;

/** One port, one implementation and one chain of checks for Connect, gRPC, gRPC-Web and REST. */
export function createTransport(options: TransportOptions): Transport {
  const { services, routes, log, tracing = noTracing } = options;
  const isTrusted = createTrust(options.trustedProxies ?? []);
  const clientAddressOf = createClientAddress(isTrusted);
  // A proxy stands for many clients, also where it does not say for which.
  const countedNetwork = (address: string): string | undefined =>
    isTrusted(address) ? undefined : (options.countedNetwork ?? countedNetworkOf)(address);
  // Fails at start rather than at the first call if a method does not say who may call it.
  const methods = services.flatMap((service) => service.methods);
  const open = new Set(methods.filter((method) => accessOf(method) === "public"));

  const metrics = createMetrics(options.registry ?? new Registry());
  const drain = createDrain();
  const pace = createPace(options.slowClientLimits, metrics.cut);
  let url = "";
  const baseUrlOf = createBaseUrl({ ...options, listening: () => url });
  let isDraining = false;

  const admission = createAdmission({ concurrency: options.concurrency, onRefusal: metrics.refused });
  const networkOf = ({ remoteAddress }: RequestRecord): string | undefined => countedNetwork(remoteAddress);
  metrics.show(admission);
  const limits = { admission, rates: options.rates, networkOf };
  const gate = createGate(options.authenticate, limits);
  const validator = createValidator();
  const interceptors = createInterceptors({
    drain,
    validator,
    rates: options.rates,
    isPublic: (method) => open.has(method),
    ...options.idempotency,
  });
  const readiness: CheckReadiness = async () => (isDraining ? drained : options.readiness());
  const enter = ({ record }: Exchange, kind: WorkKind): void => {
    const caller = kind === "service" ? undefined : anonymous;
    record.hold(admission.enter(kind, { caller, address: networkOf(record) }));
  };
  const always = createServiceEndpoints({
    readiness,
    isOperator: createOperatorCheck(options.authenticate, options.rates),
    enter,
    registry: metrics.registry,
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
    ...createDocs((exchange) => enter(exchange, "other")),
    ...createSignInEndpoints({ ...options, enter: (exchange) => enter(exchange, "other") }),
  ]);
  const transcoder = createTranscoder({ services, routes, gate, interceptors });
  const shares = (delivery: ShareDelivery): Handler =>
    createShareHandler({ ...limits, openShare: options.openShare, hardStop: drain.hardStop, delivery });
  // What is at work already may ask for what it needs to its end.
  const dispatchInternal = createDispatch({
    always,
    exact,
    prefixes: [
      [sharePrefix, shares("stream")],
      ["/v1/", transcoder],
    ],
    otherwise: answerUnknownPath,
    isDraining: () => false,
  });
  const serve = (exchange: Exchange, dispatch: Handler): void => {
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
  const internalFetch = createInternalFetch((request, response, { record }) => {
    const exchange = beginExchange(request, response, {
      log,
      baseUrlOf: () => record.baseUrl,
      clientAddressOf: () => record.remoteAddress,
      beginSpan: () => tracing.request({ traceparent: tracing.traceparent() ?? undefined }),
    });
    serve(exchange, dispatchInternal);
  });
  const models =
    options.mcp === undefined
      ? []
      : [[mcpPath, createMcpHandler({ ...options, ...limits, ...drain, mcp: options.mcp, internalFetch })] as const];
  const people =
    options.console === undefined ? undefined : createConsole(options.console, (exchange) => enter(exchange, "other"));
  const dispatch = createDispatch({
    always,
    exact: new Map([["/", toDocs], ...exact, ...models, ...(people?.exact ?? [])]),
    prefixes: [
      [sharePrefix, shares(options.shareDelivery ?? "stream")],
      ["/v1/", transcoder],
      ...(people?.prefixes ?? []),
    ],
    otherwise: answerUnknownPath,
    isDraining: () => isDraining,
  });

  const listener = createListener(
    (request, response) => {
      const exchange = beginExchange(request, response, {
        log,
        baseUrlOf,
        clientAddressOf,
        // Probes come for ever, and nobody looks for them.
        beginSpan: (path, headers) => (always.has(path) ? noRequestSpan : tracing.request(headers)),
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
    warmUp: (signal) => compileRules(validator, methods, signal),
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

const drained = { ready: false, checks: { server: "shutting down" } };

function urlOf({ address, family, port }: AddressInfo): string {
  return `http://${family === "IPv6" ? `[${address}]` : address}:${port}`;
}
