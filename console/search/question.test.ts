import { expect, test } from "vitest";
import { addressOf, emptyQuestion, filterOf, isAsked, type Question, readQuestion } from "./question.ts";

const whole: Question = {
  words: 'who owns "culture" & heating?',
  pictureId: "abc",
  like: { datasetId: "ds_1", page: 12 },
  where: ["year>=2020", "tags~draft"],
  datasetIds: ["ds_1", "ds_2"],
  formats: ["docx", "pdf"],
};

test.each([whole, { ...emptyQuestion, words: "heating" }, { ...emptyQuestion, where: ["team"] }])(
  "an address has all of its question",
  (question) => {
    const { searchParams } = new URL(addressOf(question), "http://localhost");
    expect(readQuestion(searchParams)).toEqual(question);
  },
);

test("nothing asked is the start, and a page that is none is passed over", () => {
  expect(addressOf(emptyQuestion)).toBe("/");
  expect(isAsked(readQuestion(new URLSearchParams("where=year&like=ds_1.0")))).toBe(false);
});

test("conditions have to hold together", () => {
  expect(filterOf(whole)).toEqual({ $and: [{ year: { $gte: 2020 } }, { tags: { $contains: "draft" } }] });
  expect(filterOf(emptyQuestion)).toBeUndefined();
  expect(() => filterOf({ ...whole, where: ["=5"] })).toThrow(TypeError);
});
