import { describe, expect, test } from "vitest";
import { countedNetworkOf, createClientAddress, createTrust } from "./client-address.ts";

test.each([
  ["203.0.113.7", "203.0.113.7"],
  ["::ffff:203.0.113.7", "203.0.113.7"],
  ["10.0.0.3", "10.0.0.3"],
  ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2"],
  ["2001:db8:1:2::9", "2001:db8:1:2"],
  // A proxy that all clients come through may be behind these.
  ["127.0.0.1", undefined],
  ["127.8.9.1", undefined],
  ["::1", undefined],
  ["::ffff:127.0.0.1", undefined],
  // A Unix socket.
  ["", undefined],
])("a client at %j is counted as %j", (address, network) => {
  expect(countedNetworkOf(address)).toBe(network);
});

describe("the address of a client", () => {
  const addressOf = createClientAddress(createTrust(["10.0.0.0/8", "::1"]));
  const from = (remoteAddress: string, header?: string | string[]): string =>
    addressOf({
      headers: header === undefined ? {} : { "x-forwarded-for": header },
      socket: { remoteAddress },
    } as Parameters<typeof addressOf>[0]);

  test.each([
    ["a client connects itself", "203.0.113.7", undefined, "203.0.113.7"],
    ["a client says it is another", "203.0.113.7", "198.51.100.1", "203.0.113.7"],
    ["a proxy says which", "10.0.0.3", "198.51.100.1", "198.51.100.1"],
    ["a proxy says nothing", "10.0.0.3", undefined, "10.0.0.3"],
    ["two proxies follow each other", "10.0.0.3", "198.51.100.1, 10.0.0.9", "198.51.100.1"],
    ["a client has forged the entries before its own", "10.0.0.3", "8.8.8.8, 10.1.1.1, 198.51.100.1", "198.51.100.1"],
    ["the client is within the trusted range", "10.0.0.3", "10.0.0.77", "10.0.0.77"],
    ["the header comes twice", "::1", ["8.8.8.8", "198.51.100.1, 10.0.0.9"], "198.51.100.1"],
    ["with a port", "10.0.0.3", "198.51.100.1:4711", "198.51.100.1"],
    ["IPv6", "::1", "2001:db8::7", "2001:db8::7"],
    ["IPv6 with a port", "::1", "[2001:db8::7]:4711", "2001:db8::7"],
    ["what is no address", "10.0.0.3", "198.51.100.1, unknown", "10.0.0.3"],
    ["an empty entry", "10.0.0.3", "198.51.100.1,", "10.0.0.3"],
    ["a Unix socket", "", "198.51.100.1", ""],
  ])("where %s", (_, remoteAddress, header, address) => {
    expect(from(remoteAddress, header)).toBe(address);
  });
});
