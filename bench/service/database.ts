import { readFileSync } from "node:fs";
import pg from "pg";
import { treeCpuMs } from "../measuring/processes.ts";

/** A table of a PostgreSQL database. */
interface TableSize {
  readonly table: string;
  readonly rows: number;
  /** Size including indices and TOAST. */
  readonly bytes: number;
  readonly indexBytes: number;
}

/** Measures a PostgreSQL server on this machine. */
interface DatabaseMeter {
  /** CPU of the server and all its sessions so far, milliseconds. */
  cpuMs(): number;
  /** The tables that have rows, largest first. */
  sizes(): Promise<readonly TableSize[]>;
  close(): Promise<void>;
}

/** The address must be on this machine, because its processes are read from /proc. */
export async function meterDatabase(url: string): Promise<DatabaseMeter> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query<{ pid: number }>("select pg_backend_pid() as pid");
  const session = rows[0]?.pid ?? 0;
  const server = Number(/^PPid:\s*(\d+)$/m.exec(readFileSync(`/proc/${session}/status`, "utf8"))?.[1]);
  return {
    cpuMs: () => treeCpuMs(server),
    async sizes() {
      await client.query("analyze");
      const sizes = await client.query<{ table: string; rows: string; bytes: string; indices: string }>(`
        select relname as "table", reltuples::bigint as "rows", pg_total_relation_size(oid) as "bytes",
          pg_indexes_size(oid) as "indices"
        from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace and reltuples > 0
        order by pg_total_relation_size(oid) desc`);
      return sizes.rows.map(({ table, rows: count, bytes, indices }) => ({
        table,
        rows: Number(count),
        bytes: Number(bytes),
        indexBytes: Number(indices),
      }));
    },
    close: () => client.end(),
  };
}
