import { randomBytes } from "node:crypto";
import fc from "fast-check";
import { Webhook } from "standardwebhooks";
import { expect, test } from "vitest";
import { formatWebhookSecret, signedHeaders } from "./signature.ts";

test("signs as the reference library does, byte for byte", () => {
  const secretOf = fc.uint8Array({ minLength: 24, maxLength: 64 }).map(formatWebhookSecret);
  const text = fc.string({ unit: "binary", maxLength: 200 }).filter((value) => value.isWellFormed());
  fc.assert(
    fc.property(secretOf, text, fc.integer({ min: 0, max: 4e12 }), (secret, payload, now) => {
      const headers = signedHeaders({ messageId: "dsj_1-0", payload }, [secret], now);
      expect(headers["webhook-signature"]).toBe(new Webhook(secret).sign("dsj_1-0", new Date(now), payload));
      expect(headers["webhook-timestamp"]).toBe(String(Math.floor(now / 1000)));
    }),
  );
});

test("signs with both secrets during a rotation", () => {
  const secrets = [formatWebhookSecret(randomBytes(32)), formatWebhookSecret(randomBytes(32))];
  const payload = `{"type":"job.finished"}`;
  const headers = signedHeaders({ messageId: "m", payload }, secrets, Date.now());
  for (const secret of secrets) expect(new Webhook(secret).verify(payload, headers)).toEqual({ type: "job.finished" });
  const other = formatWebhookSecret(randomBytes(32));
  expect(() => new Webhook(other).verify(payload, headers)).toThrow("No matching signature");
});
