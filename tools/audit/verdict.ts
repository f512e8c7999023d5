/** The result of `npm audit --json` for the packages that drs ships with. */
export type Verdict =
  | { readonly kind: "clean"; readonly sentence: string }
  | { readonly kind: "vulnerable"; readonly sentence: string }
  /** The registry did not answer. */
  | { readonly kind: "unknown"; readonly sentence: string };

/** Severities that fail. Most lesser reports are about uses of a package that drs does not make. */
const failing: readonly string[] = ["high", "critical"];

/** Reads npm's report. Throws `SyntaxError` for text that is not JSON, and `Error` for JSON that is neither report nor failure. */
export function verdictOf(output: string): Verdict {
  const report: unknown = JSON.parse(output);
  if (!isRecord(report)) throw new Error("npm audit wrote no report");
  const { vulnerabilities } = report;
  if (isRecord(vulnerabilities)) return verdictOn(vulnerabilities);
  const { message } = report;
  if (typeof message === "string") return { kind: "unknown", sentence: `the registry answers no audit: ${message}` };
  throw new Error(`npm audit wrote neither a report nor why there is none: ${output.slice(0, 200)}`);
}

function verdictOn(vulnerabilities: Record<string, unknown>): Verdict {
  const named = Object.entries(vulnerabilities).flatMap(([name, found]) => {
    const severity = isRecord(found) ? String(found["severity"]) : "unknown";
    return failing.includes(severity) ? [`${name} (${severity})`] : [];
  });
  if (named.length > 0) return { kind: "vulnerable", sentence: `known vulnerabilities in ${named.join(", ")}` };
  const others = Object.keys(vulnerabilities).length;
  return { kind: "clean", sentence: `no package with a high or critical vulnerability, ${others} with lesser ones` };
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
