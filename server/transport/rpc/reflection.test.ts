import { Code, createClient } from "@connectrpc/connect";
import { createGrpcTransport } from "@connectrpc/connect-node";
import { ServerReflection } from "@drs/client/gen/grpc/reflection/v1/reflection_pb";
import { ServerReflection as ServerReflectionAlpha } from "@drs/client/gen/grpc/reflection/v1alpha/reflection_pb";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type Fixture, startFixture } from "../testing/transport.ts";

let fixture: Fixture;
beforeEach(async () => {
  fixture = await startFixture();
});
afterEach(() => fixture.transport.close(0));

type Question =
  | { case: "listServices" | "fileByFilename" | "fileContainingSymbol" | "allExtensionNumbersOfType"; value: string }
  | { case: "fileContainingExtension"; value: { containingType: string; extensionNumber: number } };

async function* once<Item>(item: Item): AsyncGenerator<Item> {
  yield item;
}

/** Each sends one question and returns the answers. */
const versions = {
  v1: (baseUrl: string, messageRequest: Question) =>
    createClient(ServerReflection, createGrpcTransport({ baseUrl })).serverReflectionInfo(once({ messageRequest })),
  v1alpha: (baseUrl: string, messageRequest: Question) =>
    createClient(ServerReflectionAlpha, createGrpcTransport({ baseUrl })).serverReflectionInfo(
      once({ messageRequest }),
    ),
};

test.each(Object.entries(versions))("%s describes services, files, symbols and extensions", async (version, call) => {
  const ask = async (question: Question) => {
    for await (const { messageResponse, originalRequest } of call(fixture.url, question)) {
      expect(originalRequest?.messageRequest).toMatchObject(question);
      return messageResponse;
    }
    throw new Error("no answer");
  };
  const list = await ask({ case: "listServices", value: "" });
  if (list.case !== "listServicesResponse") throw new Error(`unexpected ${list.case}`);
  expect(list.value.service.map(({ name }) => name)).toEqual(
    expect.arrayContaining(["drs.v1.DatasetService", `grpc.reflection.${version}.ServerReflection`]),
  );
  for (const value of [
    "drs.v1.JobService",
    "drs.v1.JobService.WatchJob",
    "drs.v1.Job.status",
    "drs.rest.v1.nullable",
    `grpc.reflection.${version}.ServerReflection`,
  ]) {
    expect((await ask({ case: "fileContainingSymbol", value })).case).toBe("fileDescriptorResponse");
  }
  expect((await ask({ case: "fileByFilename", value: "drs/v1/jobs.proto" })).case).toBe("fileDescriptorResponse");
  const methodOptions = "google.protobuf.MethodOptions";
  const extension = { containingType: methodOptions, extensionNumber: 50001 };
  expect((await ask({ case: "fileContainingExtension", value: extension })).case).toBe("fileDescriptorResponse");
  const numbers = await ask({ case: "allExtensionNumbersOfType", value: methodOptions });
  expect(numbers).toMatchObject({ value: { extensionNumber: [50001, 50002, 72295728] } });
  for (const question of [
    { case: "fileContainingSymbol", value: "drs.v1.None" },
    { case: "fileContainingExtension", value: { ...extension, extensionNumber: 1 } },
    { case: "allExtensionNumbersOfType", value: "drs.v1.None" },
  ] as const) {
    expect(await ask(question)).toMatchObject({ case: "errorResponse", value: { errorCode: Code.NotFound } });
  }
});
