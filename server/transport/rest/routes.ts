import { type DescMethod, type DescService, getOption, hasOption } from "@bufbuild/protobuf";
import { type RestRules, rest } from "@drs/client/gen/drs/rest/v1/rest_pb";
import { http } from "@drs/client/gen/google/api/annotations_pb";
import type { HttpRule } from "@drs/client/gen/google/api/http_pb";
import { invalid } from "../../domain/errors.ts";

/** An HTTP verb and path of a method. */
export interface Route {
  readonly verb: string;
  /** The path as in the contract, such as `/v1/datasets/{id}`. */
  readonly path: string;
  readonly template: PathTemplate;
  readonly rule: HttpRule;
  readonly rules: RestRules;
  readonly method: DescMethod;
}

export interface Match {
  readonly route: Route;
  readonly params: readonly [field: string, value: string][];
}

/**
 * All routes of the services by their google.api.http options, except methods with raw bodies, which have their own
 * handlers.
 */
export function routesOf(services: readonly DescService[]): Route[] {
  return services.flatMap((service) =>
    service.methods.flatMap((method) => {
      const rules = getOption(method, rest);
      if (!hasOption(method, http) || rules.raw) return [];
      const rule = getOption(method, http);
      return [rule, ...rule.additionalBindings].map((binding) => ({
        ...target(binding),
        rule: binding,
        rules,
        method,
      }));
    }),
  );
}

function target({ pattern }: HttpRule): Pick<Route, "verb" | "path" | "template"> {
  if (pattern.case === undefined) throw new Error("an http option has no path");
  const [verb, path] =
    pattern.case === "custom" ? [pattern.value.kind, pattern.value.path] : [pattern.case.toUpperCase(), pattern.value];
  return { verb, path, template: parseTemplate(path) };
}

/**
 * Finds the route of a request. If only the verb does not match, returns the verbs that do; none if the path is
 * unknown.
 */
export function findRoute(routes: readonly Route[], verb: string, path: string): Match | { readonly verbs: string[] } {
  const verbs = new Set<string>();
  for (const route of routes) {
    const params = match(route.template, path);
    if (params === undefined) continue;
    if (route.verb === verb || (verb === "HEAD" && answersHead(route))) return { route, params };
    verbs.add(route.verb);
    if (answersHead(route)) verbs.add("HEAD");
  }
  return { verbs: [...verbs] };
}

function match(template: PathTemplate, path: string): [string, string][] | undefined {
  try {
    return matchTemplate(template, path);
  } catch (cause) {
    if (cause instanceof URIError) throw invalid("the path is not valid percent-encoding", { cause });
    throw cause;
  }
}

/** Whether a route answers HEAD. A stream of events has no headers worth asking for. */
function answersHead({ verb, method }: Route): boolean {
  return verb === "GET" && method.methodKind === "unary";
}

/** A path template of google.api.http: literals, `*`, `**`, `{field}`, `{field=pattern}` and a `:verb` tail. */
interface PathTemplate {
  readonly pattern: RegExp;
  readonly fields: readonly string[];
}

const element = /\{([^}=]+)(?:=([^}]+))?\}|(\*\*?)|([^{*]+)/g;

export function parseTemplate(template: string): PathTemplate {
  const fields: string[] = [];
  let source = "";
  for (const [, field, pattern, wildcard, literal] of template.matchAll(element)) {
    if (field !== undefined) {
      fields.push(field);
      source += `(${segments(pattern ?? "*")})`;
    } else {
      source += wildcard === undefined ? RegExp.escape(literal ?? "") : segments(wildcard);
    }
  }
  return { pattern: new RegExp(`^${source}$`), fields };
}

function segments(pattern: string): string {
  return pattern
    .split("/")
    .map((part) => (part === "**" ? ".+" : part === "*" ? "[^/:]+" : RegExp.escape(part)))
    .join("/");
}

/**
 * The fields of the path with their decoded values; undefined if it does not match. Throws `URIError` for invalid
 * percent-encoding.
 */
export function matchTemplate(template: PathTemplate, path: string): [field: string, value: string][] | undefined {
  const match = template.pattern.exec(path);
  if (match === null) return undefined;
  return template.fields.map((field, index) => [field, decodeURIComponent(match[index + 1] ?? "")]);
}
