/** What members of an organization may do to each other. */
import { labels } from './labels.ts'

const roles = ['member', 'admin', 'owner'] as const
export type Role = (typeof roles)[number]

export const roleNames: Readonly<Record<Role, string>> = labels.roles

/** Names of roles for the middle of a sentence, such as "a member". */
export const rolesWithArticle: Readonly<Record<Role, string>> = labels.rolesWithArticle

/** Returns whether a role manages members, service tokens, all sessions and the settings, and reads the audit log. */
export function manages(role: Role): boolean {
  return role !== 'member'
}

/** Returns whether a role manages another. Admins manage everyone but owners. */
export function mayManage(own: Role, other: Role): boolean {
  return own === 'owner' || (own === 'admin' && other !== 'owner')
}

/** Returns the roles that a member with the role may give to others. */
export function rolesToGive(own: Role): readonly Role[] {
  return roles.filter((role) => mayManage(own, role))
}
