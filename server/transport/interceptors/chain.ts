import type { DescMethod } from "@bufbuild/protobuf";
import type { Validator } from "@bufbuild/protovalidate";
import type { Interceptor } from "@connectrpc/connect";
import type { Attempts } from "../../domain/idempotency/attempts.ts";
import type { Rates } from "../limits/rates.ts";
import type { Drain } from "./drain.ts";
import { errors } from "./errors.ts";
import { createFailedAttempts } from "./failed-attempts.ts";
import { type Creation, createIdempotency } from "./idempotency.ts";
import { createValidation } from "./validate.ts";

interface ChainOptions {
  readonly drain: Pick<Drain, "interceptor">;
  readonly validator: Validator;
  readonly rates: Rates | undefined;
  /** Whether a method needs no credential. */
  readonly isPublic: (method: DescMethod) => boolean;
  readonly attempts: Attempts;
  readonly creations: ReadonlyMap<DescMethod, Creation>;
}

/**
 * What every call passes, whatever its protocol, between the gate and its implementation. The gate (`access/gate.ts`) is no
 * interceptor: it runs before anything of the body is read, and interceptors see messages.
 */
export function createInterceptors(options: ChainOptions): Interceptor[] {
  const { drain, validator, rates, isPublic, attempts, creations } = options;
  return [
    // 1. Outermost: a call counts as running until all the others are done with it, and they see the signal that ends it.
    drain.interceptor,
    // 2. Around all that throws: every error gets the form that its caller may see, and nothing changes it after that.
    errors,
    // 3. Inside of 2: it looks at errors of the domain before they lose their kind, and may turn them into its own.
    createFailedAttempts(rates, isPublic),
    // 4. Before 5: what breaks the rules of the contract takes no idempotency key.
    createValidation(validator),
    // 5. Innermost: what it keeps and repeats is the answer of the implementation, to a request that is valid.
    createIdempotency(attempts, creations),
  ];
}
