import { describe, expect, test } from "vitest";
import { SettingError } from "../settings/setting-values.ts";
import { checkStorage, isShared } from "./storage-mode.ts";

const none = { databaseUrl: undefined, blobUrl: undefined, vectorUrl: undefined };
const all = { databaseUrl: "postgres://db/drs", blobUrl: "s3://b/blobs", vectorUrl: "s3://b/vectors" };

describe("where things are stored", () => {
  test("is shared when the metadata is", () => {
    expect([none, { ...all, databaseUrl: undefined }, all].map(isShared)).toEqual([false, false, true]);
  });

  test.each([
    [{ ...all, blobUrl: undefined }, /also needs --blob-url \(DRS_BLOB_URL\):/],
    [{ ...all, vectorUrl: undefined }, /also needs --vector-url \(DRS_VECTOR_URL\):/],
    [{ ...none, databaseUrl: all.databaseUrl }, /also needs --blob-url \(DRS_BLOB_URL\) and --vector-url/],
  ])("is refused where hosts would share the metadata alone", (settings, said) => {
    expect(() => checkStorage(settings)).toThrow(SettingError);
    expect(() => checkStorage(settings)).toThrow(said);
    expect(() => checkStorage(settings)).not.toThrow(/postgres:/);
  });

  test.each([none, all, { ...none, blobUrl: all.blobUrl }, { ...none, vectorUrl: all.vectorUrl }])(
    "may be all here, all shared, or documents and vectors elsewhere: %o",
    (settings) => expect(() => checkStorage(settings)).not.toThrow(),
  );
});
