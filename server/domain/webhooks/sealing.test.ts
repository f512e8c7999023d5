import fc from "fast-check";
import { randomBytes } from "node:crypto";
import { Webhook } from "standardwebhooks";
import { expect, test } from "vitest";
import { createSealing, formatWebhookSecret, secretsAt, signedHeaders } from "./sealing.ts";

test("a secret opens only with the key that sealed it, even if another key seals by now", () => {
  const { secret, sealed } = createSealing(["first key, long enough"]).create();
  expect(secret).toMatch(/^whsec_[\w+/]{43}=$/);
  expect(sealed).not.toContain(secret.slice(6, 20));
  expect(createSealing(["second key", "first key, long enough"]).open(sealed)).toBe(secret);
  expect(() => createSealing(["second key"]).open(sealed)).toThrow(/DRS_WEBHOOK_KEYS/);
  expect(() => createSealing([]).open(sealed)).toThrow(/DRS_WEBHOOK_KEYS/);
});

test("without a key a secret is stored in plain text, and stays valid when there is one", () => {
  const { secret, sealed } = createSealing([]).create();
  expect(sealed).toBe(secret);
  expect(createSealing(["a key"]).open(sealed)).toBe(secret);
});

test("the previous secret signs until its time is over", () => {
  const sealing = createSealing([]);
  const [now, before] = [sealing.create().sealed, sealing.create().sealed];
  const secrets = { secret: now, previousSecret: before, previousUntil: 1_000 };
  expect(secretsAt(sealing, secrets, 999)).toEqual([now, before]);
  expect(secretsAt(sealing, secrets, 1_000)).toEqual([now]);
  expect(secretsAt(sealing, { secret: now, previousSecret: null, previousUntil: null }, 0)).toEqual([now]);
});

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
