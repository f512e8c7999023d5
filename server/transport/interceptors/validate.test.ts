import { createValidator, type Validator } from "@bufbuild/protovalidate";
import { expect, test } from "vitest";
import { services } from "../services/index.ts";
import { compileRules } from "./validate.ts";

const methods = services.flatMap((service) => service.methods);

test("the rules of every request compile in advance", async () => {
  const real = createValidator();
  const seen: string[] = [];
  const broken: string[] = [];
  const validator: Validator = {
    validate(desc, message) {
      const result = real.validate(desc, message);
      seen.push(desc.typeName);
      if (result.kind === "error") broken.push(`${desc.typeName}: ${result.error.message}`);
      return result;
    },
  };
  await compileRules(validator, methods, new AbortController().signal);
  expect(seen).toEqual(methods.map(({ input }) => input.typeName));
  expect(broken).toEqual([]);
});

test("compiling ends with its signal", async () => {
  const signal = AbortSignal.abort(new Error("closing"));
  await expect(compileRules(createValidator(), methods, signal)).rejects.toThrow("aborted");
});
