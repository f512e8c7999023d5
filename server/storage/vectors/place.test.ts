import { describe, expect, it } from "vitest";
import { vectorPlaceOf } from "./place.ts";

const keys = { AWS_ACCESS_KEY_ID: "id", AWS_SECRET_ACCESS_KEY: "secret" };

describe("vectorPlaceOf", () => {
  it("passes the values of AWS's variables to LanceDB", () => {
    const { url, connection } = vectorPlaceOf("s3://bucket/some/prefix/", {
      ...keys,
      AWS_ENDPOINT_URL: "http://127.0.0.1:9000/",
    });
    expect(url).toBe("s3://bucket/some/prefix");
    expect(connection?.storageOptions).toMatchObject({
      aws_endpoint: "http://127.0.0.1:9000",
      aws_region: "us-east-1",
      aws_virtual_hosted_style_request: "false",
      allow_http: "true",
      aws_conditional_put: "etag",
      aws_access_key_id: "id",
      aws_secret_access_key: "secret",
    });
  });

  it("leaves the search for credentials to LanceDB, and TLS on, by default", () => {
    const options = vectorPlaceOf("s3://bucket", { AWS_REGION: "eu-central-1" }).connection?.storageOptions ?? {};
    expect(options).toMatchObject({ aws_region: "eu-central-1", aws_virtual_hosted_style_request: "true" });
    for (const name of ["allow_http", "aws_endpoint", "aws_access_key_id"]) expect(options[name]).toBeUndefined();
  });

  it("puts the bucket into the host name if requested", () => {
    const env = { ...keys, AWS_ENDPOINT_URL: "https://s3.example.com", AWS_VIRTUAL_HOSTED_STYLE_REQUEST: "true" };
    const options = vectorPlaceOf("s3://bucket/p", env).connection?.storageOptions;
    expect(options?.["aws_endpoint"]).toBe("https://bucket.s3.example.com");
  });

  it("connects to LanceDB's service with its key", () => {
    const env = { DRS_VECTOR_API_KEY: "key", DRS_VECTOR_REGION: "eu-west-1" };
    expect(vectorPlaceOf("db://library", env)).toEqual({
      url: "db://library",
      connection: { apiKey: "key", region: "eu-west-1" },
    });
  });

  it.each([
    ["db://library", {}, /DRS_VECTOR_API_KEY/],
    ["db://a/b", { DRS_VECTOR_API_KEY: "key" }, /db:\/\/NAME/],
    ["gs://id:hidden@bucket", {}, /DRS_VECTOR_URL.*\(gs:\)/],
    ["s3://id:hidden@bucket/p", { ...keys, AWS_REGION: "eu-central-1" }, /must be s3:/],
    ["s3://bucket/p", keys, /AWS_REGION/],
    ["s3://bucket/p", { AWS_ENDPOINT_URL: "ftp://x" }, /AWS_ENDPOINT_URL/],
  ])("says what is wrong with %s", (url, env, message) => {
    expect(() => vectorPlaceOf(url, env)).toThrow(message);
    expect(() => vectorPlaceOf(url, env)).not.toThrow(/hidden/);
  });
});
