import { expect, test } from "vitest";
import { collectionNames } from "./documents/collections.ts";
import { readArguments } from "./arguments.ts";
import { setNames } from "./sets.ts";

test("without arguments the sets are measured, in the folder that the environment names", () => {
  expect(readArguments([], { DRS_EVAL_DATA: "texts" })).toEqual({
    what: "sets",
    sets: setNames,
    isCalibrated: false,
    dataDir: "texts",
    model: "builtin",
    json: undefined,
  });
});

test("names choose, in the order in which they are measured", () => {
  const [first, second] = collectionNames;
  const words = ["collections", "--set", second, "--set", first];
  expect(readArguments(words, {})).toMatchObject({ what: "collections", collections: [first, second] });
});

test("help wins over all other arguments", () => expect(readArguments(["manuals", "-h"], {})).toBeUndefined());

test.each([
  [["--nonsense"], "Unknown option '--nonsense'"],
  [["bogus"], "there is no evaluation of bogus"],
  [["sets", "--set", "nope"], "no set is called nope; there are xquad, tatqa"],
  [["collections", "--set", "xquad"], "no collection is called xquad; there are openstax"],
  [["manuals", "--set", "cpp"], "--set goes with sets, scans, collections, not with manuals"],
  [["--keep", "somewhere"], "--keep goes with manuals, mixed, odds, crops, not with sets"],
  [["odds", "--calibrate"], "--calibrate goes with sets"],
  [["folder"], "folder needs DIR"],
  [["manuals", "somewhere"], "manuals takes no folder"],
  [["folder", "here", "there"], "there is too much"],
])("%j is refused", (words, said) => {
  expect(() => readArguments(words, {})).toThrow(said);
});
