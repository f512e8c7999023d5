import type { DescService } from "@bufbuild/protobuf";

const keywords: ReadonlySet<string> = new Set(
  "False None True and as assert async await break class continue def del elif else except finally for from global if import in is lambda nonlocal not or pass raise return try while with yield".split(
    " ",
  ),
);

export const snake = (name: string): string => name.replace(/(?<=[a-z0-9])[A-Z]/g, "_$&").toLowerCase();

/** Returns the name of a field or parameter; Python's keywords get an underscore at the end. */
export const pythonName = (name: string): string => (keywords.has(name) ? `${name}_` : name);

/** Returns the noun of a service: "Dataset" of "DatasetService". */
const nounOf = ({ name }: DescService): string => name.replace(/Service$/, "");

/** Nouns without a plural. */
const uncountable: ReadonlySet<string> = new Set(["Search", "Usage"]);

const pluralOf = (noun: string): string => (uncountable.has(noun) ? noun : `${noun}s`);

/** Returns the class name of a service: "Datasets" of "DatasetService". The class for asyncio has the prefix "Async". */
export const className = (service: DescService): string => pluralOf(nounOf(service));

/**
 * Returns the method name without the noun of its service: "list" of "ListDatasets", "list_keys" of "ListKeys"; "delete_many" of
 * "DeleteDatasets", because "DeleteDataset" is "delete".
 */
export function methodName(service: DescService, name: string): string {
  const noun = nounOf(service);
  const short = name.replace(new RegExp(`(?<=.)(${pluralOf(noun)}|${noun})$`), "");
  const isOfMany =
    name === `${short}${pluralOf(noun)}` && service.methods.some((one) => one.name === `${short}${noun}`);
  return pythonName(`${snake(short)}${isOfMany && pluralOf(noun) !== noun ? "_many" : ""}`);
}

/** Returns the name of the method for one page of a list: "page" for "list", "page_keys" for "list_keys", "get_page" for "get". */
export function pageNameOf(name: string): string {
  return /^list(_|$)/.test(name) ? name.replace(/^list/, "page") : `${name}_page`;
}

export const constantName = (name: string): string => snake(name).toUpperCase();
