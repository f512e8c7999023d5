import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import type { DescMethod, DescService } from "@bufbuild/protobuf";
import { Code, type ConnectRouter } from "@connectrpc/connect";
import { Health } from "@drs/client/gen/grpc/health/v1/health_pb";
import { ServerReflection } from "@drs/client/gen/grpc/reflection/v1/reflection_pb";
import type { Logger } from "pino";
import type { Registry } from "prom-client";
import { invalid, unavailable } from "../domain/errors.ts";
import type { Attempts } from "../domain/idempotency/attempts.ts";
import { anonymous, createAdmission, type Room, type WorkKind } from "./limits/admission.ts";
import { countedNetworkOf } from "./http/client-address.ts";
import { createConnectHandler } from "./rpc/connect.ts";
import { createDocsHandler } from "./endpoints/docs.ts";
import { createEndpoints, type ProveIdentity } from "./endpoints/service.ts";
import { codeName, HttpError } from "./errors.ts";
import { beginExchange, type Exchange, type NodeResponse, type RequestRecord } from "./http/exchange.ts";
import { answerPreflight, setCommonHeaders } from "./http/headers.ts";
import { type CheckReadiness, healthService } from "./rpc/health.ts";
import { accessOf, type Authenticate, createGate, createOpenGate } from "./access/gate.ts";
import { createDrain } from "./interceptors/drain.ts";
import { errors } from "./interceptors/errors.ts";
import { createGuesses } from "./interceptors/guesses.ts";
import { type Creation, createIdempotency } from "./interceptors/idempotency.ts";
import type { Rates } from "./limits/rates.ts";
import { createValidation } from "./interceptors/validate.ts";
import { createListener } from "./http/listener.ts";
import { createMetrics } from "./endpoints/metrics.ts";
import { createOperatorCheck } from "./access/operator.ts";
import { createPace, type Patience } from "./limits/pace.ts";
import { reflectionService } from "./rpc/reflection.ts";
import { sendError } from "./http/reply.ts";
import { createTranscoder, noSuchPath } from "./rest/transcoder.ts";
import { createShareHandler, type OpenShare } from "./endpoints/share.ts";
import { answerUnknownMethod, isCall } from "./rpc/unknown-method.ts";

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
  readonly log: Logger;
  /** How many requests may be at work at the same time. */
  readonly room?: Room | undefined;
  /** The network that clients from an address are counted by; undefined: by none. */
  readonly countedNetwork?: (address: string) => string | undefined;
  /** How slow clients may be. */
  readonly patience?: Patience | undefined;
  /** The largest message over Connect, gRPC and gRPC-Web. */
  readonly maxMessageBytes?: number | undefined;
  /** How others reach the server, without a slash at the end; by default the address that it listens on. */
  readonly publicUrl?: string | undefined;
}

export interface Transport {
  /** Resolves with the base URL when connections are accepted. Port 0 takes any free one. */
  listen(host: string, port: number): Promise<string>;
  /** Prometheus registry behind /metrics, for others to add theirs to. */
  readonly registry: Registry;
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

/** As long as HTTP/1.1 allows with all its headers, so that HTTP/2 allows no more. */
const maxUrlLength = 16 * 1024;

/** One port, one implementation and one chain of checks for Connect, gRPC, gRPC-Web and REST. */
export function createTransport(options: TransportOptions): Transport {
  const { services, routes, log, countedNetwork = countedNetworkOf } = options;
  // Fails at start rather than at the first call if a method does not say who may call it.
  const methods = services.flatMap((service) => service.methods);
  const open = new Set(methods.filter((method) => accessOf(method) === "public"));

  const metrics = createMetrics();
  const drain = createDrain();
  const pace = createPace(options.patience, metrics.cut);
  let baseUrl = options.publicUrl ?? "";
  let isDraining = false;

  // Every call passes: (1) request id and log, opened in `handle` and closed in `finish`; (2) who may call, before any
  // of the body is read; (3) these, in this order; then the implementation. Errors of all of them get their public form.
  const admission = createAdmission({ room: options.room, onRefusal: metrics.refused });
  const networkOf = ({ remoteAddress }: RequestRecord): string | undefined => countedNetwork(remoteAddress);
  metrics.show(admission);
  const limits = { admission, rates: options.rates, networkOf };
  const gate = createGate(options.authenticate, limits);
  const readiness: CheckReadiness = async () => (isDraining ? drained : options.readiness());
  const { attempts, creations } = options.idempotency;
  const interceptors = [
    drain.interceptor,
    errors,
    createGuesses(options.rates, (method) => open.has(method)),
    createValidation(),
    createIdempotency(attempts, creations),
  ];

  const connect = createConnectHandler(
    (router) => {
      routes(router);
      const open = { requestGate: createOpenGate(kindOfOpen, limits), shutdownSignal: drain.softStop };
      router.service(Health, healthService(services, readiness), open);
      router.service(ServerReflection, reflectionService([...services, Health, ServerReflection]), open);
    },
    { services, interceptors, requestGate: gate, maxMessageBytes: options.maxMessageBytes },
  );
  const transcode = createTranscoder({ services, routes, gate, interceptors });
  const share = createShareHandler({
    openShare: options.openShare,
    hardStop: drain.hardStop,
    admission,
    networkOf,
    rates: options.rates,
  });
  const enter = ({ record }: Exchange, kind: WorkKind): void => {
    const caller = kind === "service" ? undefined : anonymous;
    record.hold(admission.enter(kind, { caller, address: networkOf(record) }));
  };
  const docs = createDocsHandler((exchange) => enter(exchange, "other"));
  const endpoints = createEndpoints({
    readiness,
    isOperator: createOperatorCheck(options.authenticate, options.rates),
    enter,
    registry: metrics.registry,
    baseUrl: () => baseUrl,
    proveIdentity: options.proveIdentity,
  });

  async function route(exchange: Exchange): Promise<void> {
    const { path, request, record } = exchange;
    if (request.httpVersion === "1.1" && request.headers.host === undefined) {
      throw invalid("the request has no Host header");
    }
    if ((request.url ?? "").length > maxUrlLength) {
      throw new HttpError(414, Code.InvalidArgument, `the address is longer than ${maxUrlLength} characters`);
    }
    const endpoint = endpoints.get(path);
    if (endpoint !== undefined) {
      record.method = `GET ${path}`;
      if (request.method !== "GET" && request.method !== "HEAD") {
        throw new HttpError(405, Code.Unimplemented, "this is read with GET or HEAD", { allow: "GET, HEAD, OPTIONS" });
      }
      return endpoint(exchange);
    }
    if (isDraining) throw unavailable("the server is shutting down; try again");
    if (await connect(exchange)) return;
    if (await docs(exchange)) return;
    if (await share(exchange)) return;
    if (!path.startsWith("/v1/")) {
      if (isCall(exchange)) return answerUnknownMethod(exchange);
      throw noSuchPath(path);
    }
    record.protocol = "rest";
    await transcode(exchange);
  }

  const listener = createListener(
    (request, response) => {
      const startedAt = performance.now();
      const exchange = beginExchange(request, response, log);
      setCommonHeaders(exchange);
      if (isDraining && request.httpVersionMajor === 1) response.setHeader("connection", "close");
      response.once("close", () => {
        const ms = Math.round(performance.now() - startedAt);
        finish(exchange, response, ms);
        metrics.observe(exchange.record, ms / 1000);
      });
      pace.watch(exchange);
      if (answerPreflight(exchange)) return;
      route(exchange)
        .catch((cause: unknown) => sendError(exchange, cause))
        .catch((cause: unknown) => {
          exchange.record.log.error({ err: cause }, "an answer could not be written");
          response.destroy();
        });
    },
    log,
    options.patience,
    undefined,
    { countedNetwork, onRefusal: metrics.refused },
  );

  return {
    registry: metrics.registry,
    async listen(host, port) {
      const address = await listener.listen(host, port);
      const url = urlOf(address);
      baseUrl ||= url;
      return url;
    },
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

/** Of the methods of health and reflection. */
function kindOfOpen(method: DescMethod): WorkKind {
  if (method.parent.typeName !== Health.typeName) return "other";
  return method.methodKind === "unary" ? "service" : "follow";
}

const drained = { ready: false, checks: { server: "shutting down" } };

/** Probes come every few seconds for ever, and commands ask at each connection. */
const quiet = new Set(["GET /healthz", "GET /readyz", "GET /metrics", "GET /identity"]);

/** The one log line of a request. Neither query nor headers are in it: they hold tokens and keys. */
function finish({ record, signal }: Exchange, response: NodeResponse, ms: number): void {
  const { method, protocol, caller } = record;
  if (signal.aborted) record.code ??= codeName(Code.Canceled);
  const fields = { method, protocol, status: response.statusCode, code: record.code ?? "OK", ms };
  const line = caller === undefined ? fields : { ...fields, workspaceId: caller.workspaceId };
  if (quiet.has(method)) record.log.debug(line, "request");
  else record.log.info(line, "request");
}

function urlOf({ address, family, port }: AddressInfo): string {
  return `http://${family === "IPv6" ? `[${address}]` : address}:${port}`;
}
