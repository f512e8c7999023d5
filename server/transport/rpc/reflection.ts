import { type DescExtension, type DescFile, type DescMessage, type DescService, toBinary } from "@bufbuild/protobuf";
import { FileDescriptorProtoSchema } from "@bufbuild/protobuf/wkt";
import { Code } from "@connectrpc/connect";

/** The question of a request, in every version of the protocol. */
type Question =
  | {
      readonly case: "fileContainingExtension";
      readonly value: { readonly containingType: string; readonly extensionNumber: number };
    }
  | {
      readonly case: "listServices" | "fileByFilename" | "fileContainingSymbol" | "allExtensionNumbersOfType";
      readonly value: string;
    }
  | { readonly case: undefined; readonly value?: undefined };

type Answer =
  | { case: "listServicesResponse"; value: { service: { name: string }[] } }
  | { case: "fileDescriptorResponse"; value: { fileDescriptorProto: Uint8Array[] } }
  | { case: "allExtensionNumbersResponse"; value: { baseTypeName: string; extensionNumber: number[] } }
  | { case: "errorResponse"; value: { errorCode: Code; errorMessage: string } };

interface Request {
  readonly host: string;
  readonly messageRequest: Question;
}

/**
 * gRPC server reflection, which describes the services to generic clients such as grpcurl. The versions v1 and v1alpha
 * differ only in their name.
 */
export function reflectionService(services: readonly DescService[]) {
  const files = new Map<string, DescFile>();
  for (const service of services) collectFiles(service.file, files);
  const symbols = new Map([...files.values()].flatMap((file) => symbolsIn(file).map((symbol) => [symbol, file])));
  const extensions = [...files.values()].flatMap(extensionsIn);

  function answer({ messageRequest: { case: question, value } }: Request): Answer {
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
    async *serverReflectionInfo<Received extends Request>(requests: AsyncIterable<Received>) {
      for await (const originalRequest of requests) {
        yield { validHost: originalRequest.host, originalRequest, messageResponse: answer(originalRequest) };
      }
    },
  };
}

/** Answers with the file and all its dependencies: clients resolve imports from one answer. */
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
