import type { Identity, MemberRole } from "@drs/client";

/** Whether somebody manages the organisation. */
export const isAdmin = ({ scopes }: Identity): boolean => scopes.includes("admin");

/** Whether somebody has an owner's powers: an owner, or a key with the admin scope. */
export const isOwner = (me: Identity): boolean => (me.role === null ? isAdmin(me) : me.role === "owner");

/** Whether somebody runs the service. */
export const isOperator = (me: Identity): boolean => me.isOperator && isAdmin(me);

const roles: readonly MemberRole[] = ["owner", "admin", "member", "viewer"];

/** The roles that somebody may assign, and whose members they may change. */
export const grantableRoles = (me: Identity): readonly MemberRole[] =>
  roles.filter((role) => role !== "owner" || isOwner(me));
