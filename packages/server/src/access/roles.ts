/** The roles that an organization adds to the built-in ones. */
import { builtInRoles, compareCodePoints, limits, verbs as allVerbs, type Response, type Verb } from '@rollkey/contract'
import { countText } from '../base/count-text.ts'
import { ApiError } from '../base/api-error.ts'
import { deleteRole, putRole } from '../storage/access.ts'
import type { Access } from './access.ts'
import type { ChangeRequest } from './change-request.ts'
import type { Policy } from './policy.ts'

type Listed = Response<'roles'>['roles'][number]

export class Roles {
  readonly #access: Access

  constructor(access: Access) {
    this.#access = access
  }

  list(policy: Policy): Listed[] {
    const builtIn = Object.entries(builtInRoles).map(([name, verbs]) => ({ name, verbs: [...verbs], isBuiltIn: true }))
    const added = [...policy.roles].map(([name, verbs]) => ({ name, verbs: [...verbs], isBuiltIn: false }))
    return [...builtIn, ...added.toSorted((a, b) => compareCodePoints(a.name, b.name))]
  }

  /** Adds a role, or sets its verbs. Throws CONFIRMATION_REQUIRED if that gives verbs on a protected stage. */
  async set(by: ChangeRequest, name: string, given: readonly Verb[]): Promise<void> {
    const { actor, permissions } = by
    const { policy } = permissions
    const before = policy.roles.get(name)
    const verbs = allVerbs.filter((verb) => given.includes(verb))
    if (!before && policy.roles.size >= limits.roles)
      throw new ApiError(
        'INVALID_REQUEST',
        `The organization has added ${limits.roles} roles (the maximum): delete one that is not needed.`,
      )
    const isWider = verbs.some((verb) => before && !before.includes(verb))
    if (isWider && policy.grants.some((grant) => grant.role === name && policy.isProtected(grant))) by.assertConfirmed()
    await this.#access.change(policy, actor, async (tx) => {
      await putRole(tx, policy.id, { name, verbs: verbs.join() })
      const facts = { role: name, before: before && { verbs: [...before] }, after: { verbs } }
      return [{ action: 'role.set', facts }]
    })
  }

  /** Deletes a role. Throws NOT_FOUND, and INVALID_REQUEST while it is granted. */
  async delete({ actor, permissions: { policy } }: ChangeRequest, name: string): Promise<void> {
    const before = policy.roles.get(name)
    if (!before) throw new ApiError('NOT_FOUND', `The organization has not added a role ${name}: list its roles.`)
    const { length } = policy.grants.filter(({ role }) => role === name)
    if (length > 0)
      throw new ApiError(
        'INVALID_REQUEST',
        `The role ${name} is still granted (${countText(length, 'grant')}): revoke that first.`,
      )
    await this.#access.change(policy, actor, async (tx) => {
      await deleteRole(tx, policy.id, name)
      return [{ action: 'role.delete', facts: { role: name, before: { verbs: [...before] } } }]
    })
  }
}
