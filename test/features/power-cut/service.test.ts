import { describe, expect, it, onTestFinished } from "vitest";
import { createRandom } from "../../../bench/measuring/random.ts";
import { cutPower, sizesIn } from "./cut.ts";
import { startRecording, whyNot } from "./recorder.ts";
import { createCaller } from "./service/caller.ts";
import { faultsOf } from "./service/faults.ts";
import { documentsPerLife, type Known, live } from "./service/life.ts";
import { type MortalServer, startMortalServer } from "./service/server.ts";

const reason = whyNot();
/** 200 take most of an hour. */
const cuts = Number(process.env["DRS_TEST_POWER_CUTS"] ?? 8);

describe.skipIf(reason !== undefined)(`a server after power cuts${reason === undefined ? "" : ` (${reason})`}`, () => {
  it(`${cuts} of them, wherever they come: has all that was answered, and answers`, async () => {
    const seed = Number(process.env["DRS_TEST_SEED"] ?? 1);
    const random = createRandom(seed);
    const recording = startRecording();
    const dataDir = recording.root;
    // The first start makes the key; what a cut in the middle of it leaves is another test's.
    const firstStart = await startMortalServer(dataDir, {});
    await firstStart.terminate();
    let known: Known[] = [];
    let most = 3_000;
    let killed = 0;
    let running: MortalServer | undefined;
    onTestFinished(async () => {
      await running?.kill();
      recording.remove();
    });
    for (let cut = 0; cut < cuts; cut++) {
      recording.settle();
      const before = sizesIn(dataDir);
      const cutAt = 1 + Math.floor(random() * most);
      const server = await startMortalServer(dataDir, recording.environment(cutAt));
      running = server;
      if (server.url !== undefined) {
        await live(createCaller(dataDir, server.url), known, cut * documentsPerLife).catch((cause: unknown) => {
          // It ends with the server, and for no other reason.
          if (recording.changes() < cutAt) throw cause;
        });
      }
      if (recording.changes() < cutAt) most = recording.changes();
      else killed += 1;
      await server.kill();
      cutPower(recording, before, random);

      const after = await startMortalServer(dataDir, {});
      running = after;
      const when = { seed, cut };
      const faults =
        after.url === undefined ? ["it does not start"] : await faultsOf(createCaller(dataDir, after.url), known);
      expect({ ...when, faults }).toEqual({ ...when, faults: [] });
      known = known.filter(({ mayBeGone }) => mayBeGone !== true).slice(-8);
      await after.terminate();
    }
    expect(killed).toBeGreaterThan(cuts / 3);
  }, 7_200_000);
});
