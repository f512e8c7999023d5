import type { DescMethod, DescService } from "@bufbuild/protobuf";
import type { ConnectRouter } from "@connectrpc/connect";
import { Health } from "@drs/client/gen/grpc/health/v1/health_pb";
import { ServerReflection } from "@drs/client/gen/grpc/reflection/v1/reflection_pb";
import { ServerReflection as ServerReflectionAlpha } from "@drs/client/gen/grpc/reflection/v1alpha/reflection_pb";
import { createOpenGate, type GateLimits } from "../access/gate.ts";
import type { WorkKind } from "../limits/admission.ts";
import { type CheckReadiness, healthService } from "./health.ts";
import { reflectionService } from "./reflection.ts";

interface Options {
  /** The services that they tell about. */
  readonly services: readonly DescService[];
  readonly readiness: CheckReadiness;
  readonly limits: GateLimits;
  /** Ends what follows something. */
  readonly softStop: AbortSignal;
}

/** What gRPC clients expect beside the services themselves: health and reflection, which need no credential. */
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
