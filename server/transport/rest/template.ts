/** A path template of google.api.http: literals, `*`, `**`, `{field}`, `{field=pattern}` and a `:verb` tail. */
export interface PathTemplate {
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
 * The fields of the path with their decoded values; undefined if it does not match. Throws `URIError` for what is not
 * valid percent-encoding.
 */
export function matchTemplate(template: PathTemplate, path: string): [field: string, value: string][] | undefined {
  const match = template.pattern.exec(path);
  if (match === null) return undefined;
  return template.fields.map((field, index) => [field, decodeURIComponent(match[index + 1] ?? "")]);
}
