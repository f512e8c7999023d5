import { expect, test } from "vitest";
import { errors } from "../../console/texts/de/common.ts";
import { errorReasons } from "../../server/domain/errors.ts";

/** The general reason of a kind says no more than its code. */
const general = [
  "INVALID_ARGUMENT",
  "UNAUTHENTICATED",
  "PERMISSION_DENIED",
  "NOT_FOUND",
  "CONFLICT",
  "TOO_LARGE",
  "UNSUPPORTED",
  "UNPROCESSABLE",
  "UNAVAILABLE",
];

test("every reason of the service has a German sentence, and no sentence is without a reason", () => {
  const reasons = Object.keys(errorReasons).filter((reason) => !general.includes(reason));
  expect(Object.keys(errors.reasons).toSorted()).toEqual(reasons.toSorted());
});
