import type { ServiceImpl } from "@connectrpc/connect";
import type { DeviceService } from "@drs/client/gen/drs/v1/devices_pb";
import { pollIntervalMs } from "../../domain/devices/device.ts";
import { answerDevice, getDevice, pollDevice, startDevice } from "../../domain/devices/devices.ts";
import type { Domain } from "../../domain/domain.ts";
import { baseUrlOf, callerOf, callersNetwork } from "./caller.ts";
import { type ServerFeatures, requirePages } from "./console-pages.ts";
import { personalSessionMessage } from "./members.ts";

export function deviceService(domain: Domain, features: ServerFeatures): ServiceImpl<typeof DeviceService> {
  return {
    async startDevice({ name }, context) {
      // A device is approved in the console.
      requirePages(features);
      const { deviceCode, userCode, expiresAt } = await startDevice(domain, { name, network: callersNetwork(context) });
      const verificationUri = `${baseUrlOf(context)}/device`;
      const verificationUriComplete = `${verificationUri}?code=${userCode}`;
      const intervalSeconds = pollIntervalMs / 1000;
      return {
        authorization: { deviceCode, userCode, verificationUri, verificationUriComplete, expiresAt, intervalSeconds },
      };
    },
    async pollDevice({ deviceCode }) {
      const joined = await pollDevice(domain, { input: { deviceCode } });
      return { outcome: joined === undefined ? {} : { session: personalSessionMessage(joined) } };
    },
    async getDevice({ userCode: typed }) {
      const { userCode, name, createdAt, expiresAt } = await getDevice(domain, { userCode: typed });
      return { device: { userCode, name, createdAt, expiresAt } };
    },
    async approveDevice({ userCode }, context) {
      await answerDevice(domain, { caller: callerOf(context), input: { userCode, answer: "approved" } });
      return {};
    },
    async denyDevice({ userCode }, context) {
      await answerDevice(domain, { caller: callerOf(context), input: { userCode, answer: "denied" } });
      return {};
    },
  };
}
