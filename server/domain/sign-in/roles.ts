import type { MemberRole } from "../members/role.ts";

/** Ascending by powers. */
const ranked: readonly MemberRole[] = ["viewer", "member", "admin", "owner"];

/** The highest role that the groups give, `*` being a group of everybody; undefined for none. */
export function highestRole(
  roles: readonly (readonly [group: string, role: MemberRole])[],
  groups: readonly string[],
): MemberRole | undefined {
  const given = roles.flatMap(([group, role]) => (group === "*" || groups.includes(group) ? [role] : []));
  return ranked.findLast((role) => given.includes(role));
}
