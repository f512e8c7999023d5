import type { Damage } from "../../../domain/ports/vectors.ts";
import type { VectorPlace } from "../place.ts";

/** Looks after tables in an object store, beside LanceDB. */
export interface RemoteCare {
  /** Finds tables that are damaged and mends them. */
  repair(): Promise<readonly Damage[]>;
  /** Runs what makes a table of that name while no other process does. */
  making<Result>(name: string, make: () => Promise<Result>): Promise<Result>;
  /** What was noted before that age, in milliseconds, or by this process; 0 when undefined. */
  damage(maxAgeMs?: number): Promise<readonly Damage[]>;
  settle(damage: readonly Pick<Damage, "id">[]): Promise<void>;
  close(): Promise<void>;
}

const ending = ".lance";

async function open({ bucket: name, prefix, environment }: NonNullable<VectorPlace["s3"]>) {
  const [{ createS3Clients }, { createObjects }] = await Promise.all([
    import("../../s3/client.ts"),
    import("./objects.ts"),
  ]);
  const clients = createS3Clients(environment);
  return { clients, objects: createObjects({ clients, name, prefix, checksums: environment.checksums }) };
}

/** The client of S3 is loaded at the first use. */
export function createRemoteCare(place: NonNullable<VectorPlace["s3"]>): RemoteCare {
  let opening: ReturnType<typeof open> | undefined;
  let listed: { readonly since: number; readonly damage: Promise<readonly Damage[]> } | undefined;
  const objectsOf = async () => {
    opening ??= open(place);
    return (await opening).objects;
  };
  async function list(): Promise<readonly Damage[]> {
    const { listDamage } = await import("./damage.ts");
    return listDamage(await objectsOf());
  }
  const forget = (): void => void (listed = undefined);
  return {
    async repair() {
      const objects = await objectsOf();
      const { repairRemoteTables } = await import("./repair.ts");
      const folders = (await objects.folders()).filter((folder) => folder.endsWith(ending));
      const tables = folders.map((folder) => folder.slice(0, -ending.length));
      return repairRemoteTables(objects, tables).finally(forget);
    },
    async making(name, make) {
      const { inTurn } = await import("./turn.ts");
      return inTurn(await objectsOf(), { name }, make);
    },
    damage(maxAgeMs = 0) {
      const since = performance.now();
      if (listed === undefined || since - listed.since >= maxAgeMs) {
        const damage = list();
        listed = { since, damage };
        damage.catch(forget);
      }
      return listed.damage;
    },
    async settle(damage) {
      if (damage.length === 0) return;
      const { settleDamage } = await import("./damage.ts");
      const objects = await objectsOf();
      for (const each of damage) await settleDamage(objects, each);
      forget();
    },
    async close() {
      (await opening)?.clients.close();
    },
  };
}
