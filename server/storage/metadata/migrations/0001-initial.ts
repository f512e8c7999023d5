import type { Kysely } from "kysely";
import type { Engine } from "../engine.ts";
import { books, processes } from "./0001-initial/books.ts";
import { documents } from "./0001-initial/documents.ts";
import { indices } from "./0001-initial/indices.ts";
import { organisations } from "./0001-initial/organisations.ts";
import { pages } from "./0001-initial/pages.ts";
import { people } from "./0001-initial/people.ts";
import { queue } from "./0001-initial/queue.ts";
import { searchable, tallies } from "./0001-initial/tallies.ts";
import { webhooks } from "./0001-initial/webhooks.ts";

/** Creates the tables of the first release. A released migration is never changed: later ones alter its tables. */
export async function initial(db: Kysely<unknown>, engine: Engine): Promise<void> {
  await organisations(db);
  await people(db);
  await documents(db, engine);
  await pages(db, engine);
  await queue(db, engine);
  await webhooks(db, engine);
  await indices(db);
  await books(db, engine);
  await processes(db);
  await tallies(db, engine);
  await searchable(db, engine);
}
