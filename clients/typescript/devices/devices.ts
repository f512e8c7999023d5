import { createClient } from "@connectrpc/connect";
import type { Connection, RequestOptions } from "../connection.ts";
import { DeviceService } from "../gen/drs/v1/devices_pb.ts";
import { type PersonalSession, personalSessionOf } from "../members/sign-in.ts";
import { present } from "../present.ts";

/** A sign-in of a device that waits for a person. */
export interface DeviceAuthorization {
  /** What the device asks with; for the device alone. */
  readonly deviceCode: string;
  /** What the device shows and the person compares. */
  readonly userCode: string;
  /** Where the person types it. */
  readonly verificationUri: string;
  /** The same with the code in it. */
  readonly verificationUriComplete: string;
  /** Milliseconds since the epoch, UTC. */
  readonly expiresAt: number;
  /** Least time between two polls. */
  readonly intervalSeconds: number;
}

/** A device that shows a code. Times are milliseconds since the epoch, UTC. */
export interface Device {
  readonly userCode: string;
  /** What it calls itself. */
  readonly name: string;
  readonly createdAt: number;
  readonly expiresAt: number;
}

/** Signing in on devices without a browser (RFC 8628). */
export interface Devices {
  /** Begins; needs no key. */
  start(name: string, options?: RequestOptions): Promise<DeviceAuthorization>;
  /** The personal token once the person has approved, in one answer only; null: not yet. Needs no key. */
  poll(deviceCode: string, options?: RequestOptions): Promise<PersonalSession | null>;
  /** The device that shows a code, however that is typed. */
  get(userCode: string, options?: RequestOptions): Promise<Device>;
  /** Lets it in as the caller, who is a member. */
  approve(userCode: string, options?: RequestOptions): Promise<void>;
  deny(userCode: string, options?: RequestOptions): Promise<void>;
}

export function createDevices(connection: Connection): Devices {
  const client = createClient(DeviceService, connection.transport);
  return {
    async start(name, options) {
      const answer = await connection.call((call) => client.startDevice({ name }, call), options);
      const { $typeName: _, $unknown: __, ...authorization } = present(answer.authorization, "authorization");
      return authorization;
    },
    async poll(deviceCode, options) {
      const answer = await connection.call((call) => client.pollDevice({ deviceCode }, call), options);
      const { session } = present(answer.outcome, "outcome");
      return session === undefined ? null : personalSessionOf(session);
    },
    async get(userCode, options) {
      const answer = await connection.call((call) => client.getDevice({ userCode }, call), options);
      const { name, createdAt, expiresAt, ...device } = present(answer.device, "device");
      return { userCode: device.userCode, name, createdAt, expiresAt };
    },
    async approve(userCode, options) {
      await connection.call((call) => client.approveDevice({ userCode }, call), options);
    },
    async deny(userCode, options) {
      await connection.call((call) => client.denyDevice({ userCode }, call), options);
    },
  };
}
