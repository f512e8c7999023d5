import type { MemberRole } from "../members/role.ts";

/** From the least to the most that a member may do. */
const ranked: readonly MemberRole[] = ["viewer", "member", "admin", "owner"];

/** The highest role that the groups give, `*` being a group of everybody; undefined: none. */
export function highestRole(
  roles: readonly (readonly [group: string, role: MemberRole])[],
  groups: readonly string[],
): MemberRole | undefined {
  const given = roles.flatMap(([group, role]) => (group === "*" || groups.includes(group) ? [role] : []));
  return ranked.findLast((role) => given.includes(role));
}
