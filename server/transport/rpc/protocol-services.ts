import type { DescMethod, DescService } from "@bufbuild/protobuf";
import { type ConnectRouter, Code, ConnectError, type ServiceImpl } from "@connectrpc/connect";
import { Health, HealthCheckResponse_ServingStatus as Status } from "@drs/client/gen/grpc/health/v1/health_pb";
import { ServerReflection } from "@drs/client/gen/grpc/reflection/v1/reflection_pb";
import { ServerReflection as ServerReflectionAlpha } from "@drs/client/gen/grpc/reflection/v1alpha/reflection_pb";
import { createOpenGate, type GateLimits } from "../access/gate.ts";
import type { WorkKind } from "../limits/admission.ts";
import { reflectionService } from "./reflection.ts";
import { setTimeout as sleep } from "node:timers/promises";

interface Options {
  /** The services that health and reflection describe. */
  readonly services: readonly DescService[];
  readonly readiness: CheckReadiness;
  readonly limits: GateLimits;
  /** Ends streams that follow something. */
  readonly softStop: AbortSignal;
}

/**
 * Registers the services that gRPC clients expect besides those of drs: health and reflection, which need no
 * credential.
 */
export function protocolServices({ services, readiness, limits, softStop }: Options): (router: ConnectRouter) => void {
  const options = { requestGate: createOpenGate(kindOf, limits), shutdownSignal: softStop };
  const reflection = reflectionService([...services, Health, ServerReflection, ServerReflectionAlpha]);
  return (router) =>
    router
      .service(Health, healthService(services, readiness), options)
      .service(ServerReflection, reflection, options)
      .service(ServerReflectionAlpha, reflection, options);
}

function kindOf(method: DescMethod): WorkKind {
  if (method.parent.typeName !== Health.typeName) return "other";
  return method.methodKind === "unary" ? "service" : "follow";
}

export interface Readiness {
  readonly ready: boolean;
  /** The state of each check: `ok` or the problem. */
  readonly checks: Readonly<Record<string, string>>;
}

/** Checks the stores and the worker. */
export type CheckReadiness = () => Promise<Readiness>;

/** Often enough for a load balancer. */
const pollMs = 2_000;
/** Repeated this often, because a quiet stream would be taken for a dead one. */
const repeatMs = 30_000;

/** The gRPC health checking protocol. All services are as ready as the server; "" stands for the server. */
function healthService(services: readonly DescService[], checkReadiness: CheckReadiness): ServiceImpl<typeof Health> {
  const names = new Set(["", ...services.map(({ typeName }) => typeName)]);
  const statusOf = async (service: string): Promise<Status> => {
    if (!names.has(service)) return Status.SERVICE_UNKNOWN;
    return (await checkReadiness()).ready ? Status.SERVING : Status.NOT_SERVING;
  };
  return {
    async check({ service }) {
      const status = await statusOf(service);
      if (status === Status.SERVICE_UNKNOWN) throw new ConnectError(`there is no service ${service}`, Code.NotFound);
      return { status };
    },
    async *watch({ service }, { signal }) {
      let sent: Status | undefined;
      let sentAt = 0;
      for (;;) {
        const status = await statusOf(service);
        if (status !== sent || Date.now() - sentAt >= repeatMs) {
          yield { status };
          sent = status;
          sentAt = Date.now();
        }
        try {
          await sleep(pollMs, undefined, { signal });
        } catch {
          throw signal.reason;
        }
      }
    },
  };
}
