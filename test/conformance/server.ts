import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import pino from "pino";
import { newKeyId, newOrganisationId, newWorkspaceId } from "../../server/domain/ids.ts";
import { createTransport } from "../../server/transport/server.ts";
import { readContract } from "./contract.ts";
import { serverRequest } from "./definitions.ts";
import { routes } from "./service.ts";

// A conformance server: the runner starts one per set of properties, which it says on stdin, and is told on stdout where
// to call. Messages begin with their length in four bytes, in network byte order.

const [folder = ""] = process.argv.slice(2);
const contract = readContract(folder);
const { useTls, messageReceiveLimit } = serverRequest.parse(
  fromBinary(contract.message("ServerCompatRequest"), await readMessage()),
);
if (useTls) throw new Error("drs serves no TLS");

const transport = createTransport({
  routes: routes(contract),
  services: [contract.service],
  authenticate: async () => ({
    organisationId: newOrganisationId(),
    workspaceId: newWorkspaceId(),
    actor: { kind: "key", keyId: newKeyId(), requestsPerMinute: null },
    scopes: new Set(),
    isOperator: false,
  }),
  openShare: () => Promise.reject(new Error("the suite opens no links")),
  idempotency: {
    attempts: { begin: () => Promise.reject(new Error("the suite sends no idempotency keys")) },
    creations: new Map(),
  },
  readiness: async () => ({ ready: true, checks: {} }),
  log: pino({ level: process.env["DRS_TEST_LOG"] ?? "silent" }, pino.destination(2)),
  ...(messageReceiveLimit === 0 ? {} : { maxMessageBytes: messageReceiveLimit }),
});
process.once("SIGTERM", () => void transport.close());
const { hostname, port } = new URL(await transport.listen("127.0.0.1", 0));
const response = contract.message("ServerCompatResponse");
writeMessage(toBinary(response, create(response, { host: hostname, port: Number(port) })));

async function readMessage(): Promise<Uint8Array> {
  let bytes = Buffer.alloc(0);
  for await (const chunk of process.stdin.iterator({ destroyOnReturn: true })) {
    bytes = Buffer.concat([bytes, chunk]);
    if (bytes.length >= 4 && bytes.length >= 4 + bytes.readUInt32BE()) break;
  }
  return bytes.subarray(4, 4 + bytes.readUInt32BE());
}

function writeMessage(message: Uint8Array): void {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(message.length);
  process.stdout.write(Buffer.concat([length, message]));
}
