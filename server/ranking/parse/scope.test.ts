import { expect, test } from "vitest";
import { newDatasetId } from "../../domain/ids.ts";
import { askingPass } from "./scope.ts";

test("looks up each dataset that is not known to pass once, and returns those that do", async () => {
  const [known, passing, other, later] = [newDatasetId(), newDatasetId(), newDatasetId(), newDatasetId()];
  const asked: string[] = [];
  const pass = askingPass(new Set([known]), async (ids) => {
    asked.push(...ids);
    return ids.filter((id) => id === passing);
  });
  expect(await pass(new Set([known]))).toEqual(new Set([known]));
  expect(asked).toEqual([]);
  expect(await pass(new Set([known, passing, other]))).toEqual(new Set([known, passing]));
  expect(await pass(new Set([later, other, passing]))).toEqual(new Set([known, passing]));
  expect(asked).toEqual([passing, other, later]);
});
