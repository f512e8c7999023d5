import type { Damage } from "../../../domain/ports/vectors.ts";
import { newDamageId, parseDamage } from "../damage.ts";
import type { Objects } from "./objects.ts";

/** One object for each damage: its record until it is settled. No table begins with a dot. */
const folder = ".damage/";

/** Remembers the damage before anything is done about it. */
export async function noteDamage(objects: Objects, damage: Omit<Damage, "id">): Promise<Damage> {
  const noted = { id: newDamageId(damage.foundAt), ...damage };
  await objects.create(`${folder}${noted.id}`, Buffer.from(JSON.stringify(damage)));
  return noted;
}

/** What has not been settled, the oldest first. */
export async function listDamage(objects: Objects): Promise<readonly Damage[]> {
  const found: Damage[] = [];
  for (const id of [...(await objects.list(folder)).keys()].sort()) {
    const bytes = await objects.read(`${folder}${id}`);
    const damage = bytes && parseDamage(id, Buffer.from(bytes).toString());
    if (damage !== undefined) found.push(damage);
  }
  return found;
}

export const settleDamage = (objects: Objects, { id }: Pick<Damage, "id">): Promise<void> =>
  objects.remove(`${folder}${id}`);
