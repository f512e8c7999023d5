import { expect, test } from "vitest";
import { createSealing, secretsAt } from "./sealing.ts";

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
