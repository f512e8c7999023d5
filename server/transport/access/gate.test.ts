import { expect, test } from "vitest";
import type { Domain } from "../../domain/domain.ts";
import { creations } from "../services/creations.ts";
import { lasting } from "./gate.ts";

test("every method that returns a new secret grants lasting access", () => {
  const withSecret = [...creations({} as Domain)].filter(([, { hasSecret }]) => hasSecret).map(([{ name }]) => name);
  expect(withSecret).not.toEqual([]);
  expect([...lasting].map(({ name }) => name)).toEqual(expect.arrayContaining(withSecret));
});
