import { expect, test } from "vitest";
import type { Domain } from "../../domain/domain.ts";
import { creations } from "../services/creations.ts";
import { lasting } from "./gate.ts";

test("whatever answers with a new secret gives access that lasts", () => {
  const withSecret = [...creations({} as Domain)].filter(([, { hasSecret }]) => hasSecret).map(([{ name }]) => name);
  expect(withSecret).not.toEqual([]);
  expect([...lasting].map(({ name }) => name)).toEqual(expect.arrayContaining(withSecret));
});
