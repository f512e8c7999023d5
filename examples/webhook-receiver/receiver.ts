import { createServer } from "node:http";
import { text } from "node:stream/consumers";
import { Webhook, WebhookVerificationError } from "standardwebhooks";

// The secret that `drs webhooks add` printed, or that `drs webhooks secret callbacks` prints.
const webhook = new Webhook(process.env["WEBHOOK_SECRET"] ?? "");

// A message may come twice, with the same id: store the ids of handled ones where they survive a restart.
const done = new Set<string>();

/** Returns the status for the sender. Answer at once, and do long work afterwards. */
function take(headers: Readonly<Record<string, string>>, body: string): number {
  try {
    webhook.verify(body, headers);
  } catch (cause) {
    if (cause instanceof WebhookVerificationError) return 401;
    throw cause;
  }
  const id = headers["webhook-id"] ?? "";
  if (!done.has(id)) console.log(`${id} ${body}`);
  done.add(id);
  return 204;
}

const server = createServer((request, response) => {
  const headers = Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)]));
  text(request).then(
    (body) => response.writeHead(take(headers, body)).end(),
    () => response.destroy(),
  );
});
server.listen(Number(process.env["PORT"] ?? 8500), "127.0.0.1", () => {
  console.log(`listening on ${JSON.stringify(server.address())}`);
});
