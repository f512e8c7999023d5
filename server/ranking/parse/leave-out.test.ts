import { expect, test } from "vitest";
import { leaveOut } from "./leave-out.ts";

const words = (text: string): readonly string[] => text.split(/\s+/).filter((word) => word !== "");

test.each([
  ["How does the otter manual explain nets?", ["Otter", "manual"], "How does the explain nets?"],
  ["Which of Otter's nets floats?", ["otter"], "Which of nets floats?"],
  ["nets of the OtterKit package", ["OtterKit", "Otter", "Kit"], "nets of the package"],
  ["What did Otter River's nets cost?", ["OTTERRIVER", "2019"], "What did nets cost?"],
  ["What did Otter River Works own?", ["otterriverworks"], "What did own?"],
  ["What did Otter own in River Works?", ["otterriver"], "What did Otter own in River Works?"],
  ["why otters dive", ["otter"], "why dive"],
  ["réglages de la loutre", ["reglages"], "de la loutre"],
  ["カワウソで網を", ["カワ", "ワウ", "ウソ"], "で網を"],
])("%s without %j", (text, terms, rest) => {
  expect(words(leaveOut(text, terms))).toEqual(words(rest));
});

test("a question of only these words is unchanged", () => {
  expect(leaveOut("the otter manual", ["otter", "manual"])).toBe("the otter manual");
  expect(leaveOut("What is the otter?", ["otter"])).toBe("What is the otter?");
});

test("stop words of a name are not removed", () => {
  expect(leaveOut("what is in the net", ["the", "in"])).toBe("what is in the net");
});
