import type { ServiceImpl } from "@connectrpc/connect";
import type { UsageService } from "@drs/client/gen/drs/v1/usage_pb";
import type { Domain } from "../../domain/domain.ts";
import { getUsage } from "../../domain/usage/get.ts";
import { totalBytes } from "../../domain/usage/usage.ts";
import { callerOf } from "./caller.ts";
import { present } from "./messages.ts";

export function usageService(domain: Domain): ServiceImpl<typeof UsageService> {
  return {
    async getUsage({ historyDays }, context) {
      const caller = callerOf(context);
      const { stored, limits, requestsByMonth, history, ...usage } = await getUsage(domain, { caller, historyDays });
      return {
        usage: {
          ...usage,
          stored: { ...stored, total: totalBytes(stored) },
          limits: present({ ...limits }),
          requestsByMonth: [...requestsByMonth],
          history: [...history],
        },
      };
    },
  };
}
