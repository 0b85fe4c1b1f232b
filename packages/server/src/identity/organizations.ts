/** New organizations. The library's own endpoint counts and creates in two steps, and bounds nothing that it stores. */
import { displayName } from '@rollkey/contract'
import { APIError, createAuthEndpoint, sessionMiddleware } from 'better-auth/api'
import { z } from 'zod'
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

/** `limit`: organizations that one person may own; 0: as many as they like. */
export function createOrganization(directory: Directory, limit: number) {
  const options = { method: 'POST' as const, body, use: [sessionMiddleware] }
  return createAuthEndpoint('/organization/create', options, async (ctx) => {
    const { internalAdapter, session } = ctx.context
    const { name, slug, logo, keepCurrentActiveOrganization } = ctx.body
    const userId = session.user.id
    if (!organizationSlug.test(slug)) throw refusedSlug()
    // Two of one person at once would both find room for one more.
    const create = async () => {
      const owned = (await directory.rolesOf(userId)).filter(({ role }) => role === 'owner')
      if (limit > 0 && owned.length >= limit) throw tooMany(limit)
      if (await directory.organizationBySlug(slug)) throw taken()
      const organization = await directory.createOrganization(slug, name, logo ?? undefined)
      const member = await directory.addMember(organization.id, userId, 'owner')
      return { ...organization, members: [member] }
    }
    const created = await directory.holding([userId], create).catch(async (error: unknown) => {
      // Two people at once: the store lets one in.
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
    message: 'There is an organization with this slug: choose another one.',
  })
}

function tooMany(limit: number): APIError {
  return new APIError('FORBIDDEN', {
    code: 'YOU_HAVE_REACHED_THE_MAXIMUM_NUMBER_OF_ORGANIZATIONS',
    message: `One person may own ${limit} ${limit === 1 ? 'organization' : 'organizations'} here: ask the operator for more.`,
  })
}
