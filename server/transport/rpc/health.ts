import { setTimeout as sleep } from "node:timers/promises";
import type { DescService } from "@bufbuild/protobuf";
import { Code, ConnectError, type ServiceImpl } from "@connectrpc/connect";
import { type Health, HealthCheckResponse_ServingStatus as Status } from "@drs/client/gen/grpc/health/v1/health_pb";

export interface Readiness {
  readonly ready: boolean;
  /** What was looked at, and how it is: `ok` or what is wrong. */
  readonly checks: Readonly<Record<string, string>>;
}

/** Asks the stores and the worker. */
export type CheckReadiness = () => Promise<Readiness>;

/** Soon enough for a load balancer. */
const pollMs = 2_000;
/** A quiet stream would be taken for a dead one. */
const repeatMs = 30_000;

/** The gRPC health checking protocol. All services are as ready as the server is; "" stands for the server. */
export function healthService(
  services: readonly DescService[],
  checkReadiness: CheckReadiness,
): ServiceImpl<typeof Health> {
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
