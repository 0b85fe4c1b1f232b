/** What members of an organization may do to each other. */
const roles = ['member', 'admin', 'owner'] as const
export type Role = (typeof roles)[number]

export const roleNames: Readonly<Record<Role, string>> = { member: 'Member', admin: 'Admin', owner: 'Owner' }

/** Members, service tokens, everybody's sessions, the settings; and reads the audit log. */
export function manages(role: Role): boolean {
  return role !== 'member'
}

/** Admins manage everybody but owners. */
export function mayManage(own: Role, other: Role): boolean {
  return own === 'owner' || (own === 'admin' && other !== 'owner')
}

/** The roles that somebody with the role may give to others. */
export function rolesToGive(own: Role): readonly Role[] {
  return roles.filter((role) => mayManage(own, role))
}
