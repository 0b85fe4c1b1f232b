/**
 * Validates requests to the library's endpoints where the library accepts more than the product allows: its columns have no
 * maximum length, a member may have many roles, a list may be sorted by a column that does not exist, and a password may be common.
 */
import { displayName, role } from '@rollkey/contract'
import type { BetterAuthPlugin } from 'better-auth'
import { APIError, createAuthMiddleware } from 'better-auth/api'
import { z } from 'zod'
import { assertUncommonPassword, setsPassword } from './common-passwords.ts'

export const pictureUrl = z
  .url({ protocol: /^https$/, error: 'must be an https URL' })
  .max(2_048, 'must be at most 2048 characters')
const withName = z.looseObject({ name: displayName.optional() })
const oneRole = z.looseObject({
  role: z.enum(role.options, { error: `must be one of ${role.options.join(', ')}, not a list` }),
})
const count = z.string().regex(/^\d{1,6}$/, 'must be a whole number')
const column = z.enum(['id', 'userId', 'role', 'createdAt'], { error: 'must be id, userId, role or createdAt' })

interface Rule {
  readonly body?: z.ZodType
  readonly query?: z.ZodType
}

const rules: Readonly<Record<string, Rule>> = {
  '/sign-up/email': { body: z.looseObject({ name: displayName, image: pictureUrl.nullish() }) },
  '/update-user': { body: z.looseObject({ name: displayName.optional(), image: pictureUrl.nullish() }) },
  '/organization/update': {
    body: z.looseObject({
      data: z.strictObject({ name: displayName, slug: z.string(), logo: pictureUrl.nullable() }).partial(),
    }),
  },
  '/organization/invite-member': { body: oneRole },
  '/organization/update-member-role': { body: oneRole },
  '/organization/list-members': {
    query: z
      .looseObject({
        limit: count,
        offset: count,
        sortBy: column,
        sortDirection: z.enum(['asc', 'desc']),
        filterField: z.enum(['id', 'userId', 'role'], { error: 'must be id, userId or role' }),
        filterOperator: z.enum(['eq', 'ne'], { error: 'must be eq or ne' }),
        filterValue: z.string(),
      })
      .partial()
      .refine(({ filterField, filterValue }) => (filterField === undefined) === (filterValue === undefined), {
        message: 'must be given together with filterValue',
        path: ['filterField'],
      }),
  },
  '/passkey/generate-register-options': { query: withName },
  '/passkey/verify-registration': { body: withName },
  '/passkey/update-passkey': { body: withName },
}

function assertValid(schema: z.ZodType | undefined, value: unknown): void {
  const [issue] = schema?.safeParse(value ?? {}).error?.issues ?? []
  if (!issue) return
  const field = issue.path.at(-1)
  const subject = field === undefined ? 'The request' : String(field)
  throw new APIError('BAD_REQUEST', { code: 'INVALID_REQUEST', message: `${subject}: ${issue.message}.` })
}

const checkRequest = {
  matcher: ({ path }: { path?: string }) => path !== undefined && Object.hasOwn(rules, path),
  handler: createAuthMiddleware(async ({ path, body, query }) => {
    const rule = rules[path]
    assertValid(rule?.body, body)
    assertValid(rule?.query, query)
  }),
}

const refuseCommonPasswords = {
  matcher: ({ path }: { path?: string }) => setsPassword(path),
  handler: createAuthMiddleware(({ path, body }) => assertUncommonPassword(path, body)),
}

/** Revokes the other sessions when the password changes, whether or not the client requests it. */
const endOtherSessions = {
  matcher: ({ path }: { path?: string }) => path === '/change-password',
  handler: createAuthMiddleware(async ({ body }) => {
    return { context: { body: { ...(body as object | undefined), revokeOtherSessions: true } } }
  }),
}

export const requestRules = {
  id: 'request-rules',
  hooks: { before: [checkRequest, refuseCommonPasswords, endOtherSessions] },
} satisfies BetterAuthPlugin
