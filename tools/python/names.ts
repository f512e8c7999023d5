import type { DescService } from "@bufbuild/protobuf";

const keywords: ReadonlySet<string> = new Set(
  "False None True and as assert async await break class continue def del elif else except finally for from global if import in is lambda nonlocal not or pass raise return try while with yield".split(
    " ",
  ),
);

export const snake = (name: string): string => name.replace(/(?<=[a-z0-9])[A-Z]/g, "_$&").toLowerCase();

/** The name of a field or parameter; what Python keeps for itself has an underscore behind it. */
export const pythonName = (name: string): string => (keywords.has(name) ? `${name}_` : name);

/** What a service is about: "Dataset" of "DatasetService". */
const nounOf = ({ name }: DescService): string => name.replace(/Service$/, "");

/** These have no plural. */
const uncountable: ReadonlySet<string> = new Set(["Search", "Usage"]);

const pluralOf = (noun: string): string => (uncountable.has(noun) ? noun : `${noun}s`);

/** The class of a service: "Datasets" of "DatasetService"; the one for asyncio has "Async" before it. */
export const className = (service: DescService): string => pluralOf(nounOf(service));

/** The method without the noun of its service: "list" of "ListDatasets", "list_keys" of "ListKeys". */
export function methodName(service: DescService, name: string): string {
  const noun = nounOf(service);
  const short = name.replace(new RegExp(`(?<=.)(${pluralOf(noun)}|${noun})$`), "");
  return pythonName(snake(short));
}

/** The method for one page of what a method lists: "page" beside "list", "page_keys" beside "list_keys", "get_page" beside "get". */
export function pageNameOf(name: string): string {
  return /^list(_|$)/.test(name) ? name.replace(/^list/, "page") : `${name}_page`;
}

export const constantName = (name: string): string => snake(name).toUpperCase();
