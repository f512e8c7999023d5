import type { RawBuilder } from "kysely";
import { afterAll, beforeAll } from "vitest";
import type { Metadata } from "../../../server/domain/ports/metadata.ts";

/** The clock of the databases of a test, which leases and holds go by; milliseconds since the epoch. */
export const storeClock = { now: 1_790_000_000_000 };

/** An empty database, to which further connections can be opened. */
export interface MetadataFixture {
  connect(): Promise<Metadata>;
  /** Runs a statement as another version of drs may do. */
  run(statement: RawBuilder<unknown>): Promise<void>;
  /** Closes every connection and removes the database. */
  dispose(): Promise<void>;
}

export type OpenMetadataFixture = () => Promise<MetadataFixture>;

/** Gives each group of cases a database of its own. */
export function useMetadata(
  open: OpenMetadataFixture,
): { readonly store: Metadata } & Pick<MetadataFixture, "connect" | "run"> {
  let fixture: MetadataFixture | undefined;
  let store: Metadata | undefined;
  beforeAll(async () => {
    fixture = await open();
    store = await fixture.connect();
  });
  afterAll(async () => fixture?.dispose());
  return {
    get store() {
      if (store === undefined) throw new Error("the store is there only while cases run");
      return store;
    },
    async connect() {
      if (fixture === undefined) throw new Error("the store is there only while cases run");
      return fixture.connect();
    },
    async run(statement) {
      if (fixture === undefined) throw new Error("the store is there only while cases run");
      return fixture.run(statement);
    },
  };
}
