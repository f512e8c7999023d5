import { expect, test } from "vitest";
import { countedNetworkOf } from "./client-address.ts";

test.each([
  ["203.0.113.7", "203.0.113.7"],
  ["::ffff:203.0.113.7", "203.0.113.7"],
  ["10.0.0.3", "10.0.0.3"],
  ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2"],
  ["2001:db8:1:2::9", "2001:db8:1:2"],
  // Behind these there may be a proxy that all clients come through.
  ["127.0.0.1", undefined],
  ["127.8.9.1", undefined],
  ["::1", undefined],
  ["::ffff:127.0.0.1", undefined],
  // A Unix socket.
  ["", undefined],
])("a client at %j is counted as %j", (address, network) => {
  expect(countedNetworkOf(address)).toBe(network);
});
