import { readFileSync } from "node:fs";
import { join } from "node:path";
import {
  create,
  createFileRegistry,
  type DescMessage,
  type DescService,
  fromBinary,
  type Registry,
  setExtension,
} from "@bufbuild/protobuf";
import { FileDescriptorSetSchema, MethodOptionsSchema } from "@bufbuild/protobuf/wkt";
import { access } from "@drs/client/gen/drs/rest/v1/rest_pb";

/** The contract of Connect's conformance suite, read from its descriptors: no code is generated from it. */
export interface Contract {
  readonly service: DescService;
  readonly registry: Registry;
  /** A message of the suite's package. */
  message(name: string): DescMessage;
}

const packageName = "connectrpc.conformance.v1";

/** The folder is one that `.ci/conformance` has filled. */
export function readContract(folder: string): Contract {
  const files = fromBinary(FileDescriptorSetSchema, readFileSync(join(folder, "service.binpb")));
  // The gate serves no method that does not say who may call it.
  for (const method of files.file.flatMap((file) => file.service.flatMap((service) => service.method))) {
    method.options ??= create(MethodOptionsSchema);
    setExtension(method.options, access, { $typeName: "drs.rest.v1.AccessRules", public: false, scope: "", any: true });
  }
  const registry = createFileRegistry(files);
  const service = registry.getService(`${packageName}.ConformanceService`);
  if (service === undefined) throw new Error(`${folder} does not hold the descriptors of the conformance service`);
  return {
    service,
    registry,
    message(name) {
      const found = registry.getMessage(`${packageName}.${name}`);
      if (found === undefined) throw new Error(`there is no message ${name}`);
      return found;
    },
  };
}
