/** Creates organizations. The library's own endpoint counts and creates in two steps, and limits no field that it stores. */
import { displayName } from '@rollkey/contract'
import { APIError, createAuthEndpoint, sessionMiddleware } from 'better-auth/api'
import { z } from 'zod'
import { countText } from '../base/count-text.ts'
import type { Directory } from './directory.ts'
import { pictureUrl } from './request-rules.ts'
import { organizationSlug } from './rules.ts'
import { refusedSlug } from './refused-slug.ts'

const body = z.object({
  name: displayName,
  slug: z.string(),
  logo: pictureUrl.nullish(),
  keepCurrentActiveOrganization: z.boolean().optional(),
})

/** Returns the endpoint. `limit`: maximum organizations that one person may own; 0: unlimited. */
export function createOrganization(directory: Directory, limit: number) {
  const options = { method: 'POST' as const, body, use: [sessionMiddleware] }
  return createAuthEndpoint('/organization/create', options, async (ctx) => {
    const { internalAdapter, session } = ctx.context
    const { name, slug, logo, keepCurrentActiveOrganization } = ctx.body
    const userId = session.user.id
    if (!organizationSlug.test(slug)) throw refusedSlug()
    // Without the lock, two concurrent requests of one person could both pass the limit.
    const create = async () => {
      const owned = (await directory.rolesOf(userId)).filter(({ role }) => role === 'owner')
      if (limit > 0 && owned.length >= limit) throw tooMany(limit)
      if (await directory.organizationBySlug(slug)) throw taken()
      const organization = await directory.createOrganization(slug, name, logo ?? undefined)
      const member = await directory.addMember(organization.id, userId, 'owner')
      return { ...organization, members: [member] }
    }
    const created = await directory.withLock([userId], create).catch(async (error: unknown) => {
      // Two people created it at once: the store's unique index admitted one.
      if (!(error instanceof APIError) && (await directory.organizationBySlug(slug))) throw taken()
      throw error
    })
    if (keepCurrentActiveOrganization !== true) {
      await internalAdapter.updateSession(session.session.token, { activeOrganizationId: created.id })
    }
    return ctx.json(created)
  })
}

function taken(): APIError {
  return new APIError('BAD_REQUEST', {
    code: 'ORGANIZATION_ALREADY_EXISTS',
    message: 'An organization with this slug already exists: choose another slug.',
  })
}

function tooMany(limit: number): APIError {
  return new APIError('FORBIDDEN', {
    code: 'YOU_HAVE_REACHED_THE_MAXIMUM_NUMBER_OF_ORGANIZATIONS',
    message: `You own the maximum of ${countText(limit, 'organization')}: ask the operator for a higher limit.`,
  })
}
