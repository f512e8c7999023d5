import {
  type DescExtension,
  type DescFile,
  type DescMessage,
  type DescService,
  type MessageInitShape,
  toBinary,
} from "@bufbuild/protobuf";
import { FileDescriptorProtoSchema } from "@bufbuild/protobuf/wkt";
import { Code, type ServiceImpl } from "@connectrpc/connect";
import type {
  ServerReflection,
  ServerReflectionRequest,
  ServerReflectionResponseSchema,
} from "@drs/client/gen/grpc/reflection/v1/reflection_pb";

type Answer = NonNullable<MessageInitShape<typeof ServerReflectionResponseSchema>["messageResponse"]>;

/** gRPC server reflection (v1): tells generic clients such as grpcurl what the services look like. */
export function reflectionService(services: readonly DescService[]): ServiceImpl<typeof ServerReflection> {
  const files = new Map<string, DescFile>();
  for (const service of services) collectFiles(service.file, files);
  const symbols = new Map([...files.values()].flatMap((file) => symbolsIn(file).map((symbol) => [symbol, file])));
  const extensions = [...files.values()].flatMap(extensionsIn);

  function answer({ messageRequest: { case: question, value } }: ServerReflectionRequest): Answer {
    switch (question) {
      case "listServices":
        return {
          case: "listServicesResponse",
          value: { service: services.map(({ typeName }) => ({ name: typeName })) },
        };
      case "fileByFilename":
        return fileAnswer(files.get(value), `no file ${value}`);
      case "fileContainingSymbol":
        return fileAnswer(symbols.get(value.replace(/^\./, "")), `no symbol ${value}`);
      case "fileContainingExtension": {
        const { containingType, extensionNumber } = value;
        const found = extensions.find(
          ({ extendee, number }) => extendee.typeName === containingType && number === extensionNumber,
        );
        return fileAnswer(found?.file, `no extension ${extensionNumber} of ${containingType}`);
      }
      case "allExtensionNumbersOfType": {
        const numbers = extensions.flatMap(({ extendee, number }) => (extendee.typeName === value ? [number] : []));
        if (numbers.length === 0 && !symbols.has(value)) return failure(Code.NotFound, `no type ${value}`);
        const extensionNumber = numbers.toSorted((one, other) => one - other);
        return { case: "allExtensionNumbersResponse", value: { baseTypeName: value, extensionNumber } };
      }
      default:
        return failure(Code.InvalidArgument, "the request asks nothing");
    }
  }

  return {
    async *serverReflectionInfo(requests) {
      for await (const originalRequest of requests) {
        yield { validHost: originalRequest.host, originalRequest, messageResponse: answer(originalRequest) };
      }
    },
  };
}

/** The file and all that it needs: clients resolve imports from one answer. */
function fileAnswer(file: DescFile | undefined, missing: string): Answer {
  if (file === undefined) return failure(Code.NotFound, missing);
  const closure = collectFiles(file, new Map());
  const fileDescriptorProto = [...closure.values()].map(({ proto }) => toBinary(FileDescriptorProtoSchema, proto));
  return { case: "fileDescriptorResponse", value: { fileDescriptorProto } };
}

const failure = (errorCode: Code, errorMessage: string): Answer => ({
  case: "errorResponse",
  value: { errorCode, errorMessage },
});

function collectFiles(file: DescFile, files: Map<string, DescFile>): Map<string, DescFile> {
  if (files.has(file.proto.name)) return files;
  files.set(file.proto.name, file);
  for (const dependency of file.dependencies) collectFiles(dependency, files);
  return files;
}

function symbolsIn(file: DescFile): string[] {
  return [
    ...file.enums.map(({ typeName }) => typeName),
    ...file.extensions.map(({ typeName }) => typeName),
    ...file.messages.flatMap(symbolsOf),
    ...file.services.flatMap(({ typeName, methods }) => [
      typeName,
      ...methods.map(({ name }) => `${typeName}.${name}`),
    ]),
  ];
}

function symbolsOf(message: DescMessage): string[] {
  return [
    message.typeName,
    ...message.fields.map(({ name }) => `${message.typeName}.${name}`),
    ...message.nestedEnums.map(({ typeName }) => typeName),
    ...message.nestedMessages.flatMap(symbolsOf),
    ...message.nestedExtensions.map(({ typeName }) => typeName),
  ];
}

function extensionsIn(file: DescFile): DescExtension[] {
  const nested = (message: DescMessage): DescExtension[] => [
    ...message.nestedExtensions,
    ...message.nestedMessages.flatMap(nested),
  ];
  return [...file.extensions, ...file.messages.flatMap(nested)];
}
