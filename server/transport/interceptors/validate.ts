import type { DescMessage, MessageShape } from "@bufbuild/protobuf";
import type { Path } from "@bufbuild/protobuf/reflect";
import { createValidator, type Violation, violationsToProto } from "@bufbuild/protovalidate";
import { Code, ConnectError, type Interceptor } from "@connectrpc/connect";
import { errorKindHeader } from "../errors.ts";

/** More would bury the first under the rest. */
const maxViolations = 5;

/** Refuses requests that break the rules in the protos; of a stream, each message as it comes. */
export function createValidation(): Interceptor {
  const validator = createValidator();

  function check<Desc extends DescMessage>(desc: Desc, message: MessageShape<Desc>): void {
    const result = validator.validate(desc, message);
    if (result.kind === "valid") return;
    // The rules themselves do not compile: our bug.
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

/** Names the field as JSON does. A rule with a message of its own in the protos names it by itself. */
function sentence({ field, message, rule }: Violation): string {
  const name = jsonPath(field);
  // A rule of a whole message has no path.
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
