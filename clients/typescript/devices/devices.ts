import { createClient } from "@connectrpc/connect";
import type { Connection, RequestOptions } from "../connection.ts";
import { DeviceService } from "../gen/drs/v1/devices_pb.ts";
import { type PersonalSession, personalSessionOf } from "../members/sign-in.ts";
import { present } from "../wire-names.ts";

/** The sign-in of a device that waits for a person's approval. */
export interface DeviceAuthorization {
  /** The code with which the device polls; only the device may know it. */
  readonly deviceCode: string;
  /** The code that the device shows and the person compares. */
  readonly userCode: string;
  /** Where the person enters the code. */
  readonly verificationUri: string;
  /** The same address with the code in it. */
  readonly verificationUriComplete: string;
  /** Milliseconds since the epoch, UTC. */
  readonly expiresAt: number;
  /** Minimum time between two polls, seconds. */
  readonly intervalSeconds: number;
}

/** A device that shows a code. Times are milliseconds since the epoch, UTC. */
export interface Device {
  readonly userCode: string;
  /** The device's name for itself. */
  readonly name: string;
  readonly createdAt: number;
  readonly expiresAt: number;
}

/** Sign-in of devices without a browser (RFC 8628). */
export interface Devices {
  /** Starts the sign-in of a device; needs no key. */
  start(name: string, options?: RequestOptions): Promise<DeviceAuthorization>;
  /**
   * Resolves with the personal token once the person has approved the sign-in, or with null before that. Only one
   * response contains the token. Needs no key.
   */
  poll(deviceCode: string, options?: RequestOptions): Promise<PersonalSession | null>;
  /** Returns the device that shows a code, which may be typed in any form. */
  get(userCode: string, options?: RequestOptions): Promise<Device>;
  /** Signs the device in as the caller, who has to be a member. */
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
