import { setImmediate } from "node:timers/promises";
import { create, type DescMessage, type DescMethod, type MessageShape } from "@bufbuild/protobuf";
import type { Path } from "@bufbuild/protobuf/reflect";
import { type Validator, type Violation, violationsToProto } from "@bufbuild/protovalidate";
import { Code, ConnectError, type Interceptor } from "@connectrpc/connect";
import { errorKindHeader } from "../errors.ts";

/** Maximum number of violations in a message; more would bury the first. */
const maxViolations = 5;

/**
 * Compiles the rules of the methods' requests in advance: some 300 ms of CPU for all, which a validator otherwise
 * spends at the first request of each. Other work runs in between.
 */
export async function compileRules(
  validator: Validator,
  methods: Iterable<DescMethod>,
  signal: AbortSignal,
): Promise<void> {
  for (const { input } of methods) {
    await setImmediate(undefined, { signal });
    validator.validate(input, create(input));
  }
}

/** Refuses requests that break the rules in the protos; in a stream, each message is checked as it comes. */
export function createValidation(validator: Validator): Interceptor {
  function check<Desc extends DescMessage>(desc: Desc, message: MessageShape<Desc>): void {
    const result = validator.validate(desc, message);
    if (result.kind === "valid") return;
    // The rules themselves do not compile, which is a bug of drs.
    if (result.kind === "error") throw result.error;
    const [value, schema] = violationsToProto(result.violations);
    throw new ConnectError(
      result.violations.slice(0, maxViolations).map(sentence).join("; "),
      Code.InvalidArgument,
      { [errorKindHeader]: "invalid" },
      [{ desc: schema, value }],
      result.error,
    );
  }

  async function* checked<Desc extends DescMessage>(
    desc: Desc,
    messages: AsyncIterable<MessageShape<Desc>>,
  ): AsyncGenerator<MessageShape<Desc>> {
    for await (const message of messages) {
      check(desc, message);
      yield message;
    }
  }

  return (next) => async (req) => {
    if (req.stream) return next({ ...req, message: checked(req.method.input, req.message) });
    check(req.method.input, req.message);
    return next(req);
  };
}

/**
 * The message of a violation, with the field's JSON name. A rule with its own message in the protos names the field by
 * itself.
 */
function sentence({ field, message, rule }: Violation): string {
  const name = jsonPath(field);
  // A rule for a whole message has no path.
  const isOwnSentence = rule.length === 0 || rule.some((element) => element.kind === "field" && element.name === "cel");
  return name === "" || isOwnSentence ? message : `${name}: ${message}`;
}

function jsonPath(path: Path): string {
  return path.reduce((text, element) => {
    if (element.kind === "list_sub") return `${text}[${element.index}]`;
    if (element.kind === "map_sub") return `${text}[${JSON.stringify(String(element.key))}]`;
    const name = element.kind === "field" ? element.jsonName : element.name;
    return text === "" ? name : `${text}.${name}`;
  }, "");
}
