/** The organization as a whole: its settings, its usage, search and live events. */
import { z } from 'zod'
import * as field from '../fields.ts'
import { limits } from '../rules/limits.ts'
import { described } from '../variables.ts'
import { ok, type Endpoint } from './endpoint.ts'

const createsOnWrite = z.boolean().describe('Whether a write creates the project and the stage that it names')
const isCompanyOnly = z.boolean().describe('Whether only a sign-in at a company opens the organization')
const needsSecondFactor = z
  .boolean()
  .describe('Whether only a passkey, a password with a second factor or a sign-in at a company opens the organization')
const userId = z.string().min(1).max(limits.principalCharacters).describe('Id of the user at the identity provider')
const count = z.number().int().min(0)
const evaluations = count.describe('Number of billing events')
const utcDay = z.iso.date()

const plan = z
  .object({
    name: z.enum(['unlimited', 'free']).describe('Name of the plan'),
    evaluationsPerMonth: count.optional().describe('Maximum billing events per UTC calendar month; absent: unlimited'),
    storageBytes: count.optional().describe('Maximum bytes of all sealed values; absent: unlimited'),
  })
  .describe('Plan of the organization')
  .meta({ id: 'Plan' })

const stage = { projectSlug: field.projectSlug, stageSlug: field.stageSlug }
/** The stage that billing events belong to. */
const evaluatedStage = {
  projectSlug: field.projectSlug
    .optional()
    .describe('Slug of the project; absent for pulls of a stage that did not exist'),
  stageSlug: field.stageSlug.optional().describe('Slug of the stage; absent for pulls of a stage that did not exist'),
}

export const organization = {
  /** Shows whether writes create projects and stages, and the limits of the plan. */
  organization: {
    method: 'POST',
    path: '/v1/organization/show',
    manage: 'organization.show',
    summary: 'Show the settings of the organization and its plan',
    auth: 'caller',
    verb: 'none',
    repeatable: true,
    request: z.object({ orgSlug: field.orgSlug }),
    bodyBytes: limits.bodyBytes,
    response: () =>
      z.object({
        orgSlug: field.orgSlug,
        name: z.string().describe('Name for people'),
        createsOnWrite,
        defaultRole: field.defaultRole,
        plan,
      }),
    errors: [],
  },
  /** Changes whether writes create projects and stages, and what every member may do. The answer means that it applies on every node. */
  organizationUpdate: {
    method: 'POST',
    path: '/v1/organization/update',
    manage: 'organization.update',
    summary: 'Change the settings of the organization',
    auth: 'person',
    verb: 'manage',
    repeatable: true,
    request: z.object({
      orgSlug: field.orgSlug,
      createsOnWrite: createsOnWrite
        .optional()
        .describe('Whether a write creates the project and the stage that it names; absent: as is'),
      defaultRole: field.defaultRole
        .optional()
        .describe('What every member may do in the whole organization; absent: as is'),
    }),
    bodyBytes: limits.bodyBytes,
    response: () => ok,
    errors: [],
  },
  /** Lists the members, as the web application does to each of them. */
  organizationMembers: {
    method: 'POST',
    path: '/v1/organization/members',
    manage: 'organization.members',
    summary: 'List the members of the organization',
    auth: 'person',
    verb: 'none',
    repeatable: true,
    request: z.object({ orgSlug: field.orgSlug }),
    bodyBytes: limits.bodyBytes,
    response: () =>
      z.object({
        members: z
          .array(
            z
              .object({
                id: userId,
                name: z.string().describe('Name for people'),
                email: z.string().describe('Email of the account'),
                role: field.role,
              })
              .meta({ id: 'Member', description: 'A member of the organization' }),
          )
          .describe('Ordered by email; none if an external identity provider keeps them'),
        isExternal: z.boolean().describe('Whether an external identity provider keeps the members'),
      }),
    errors: [],
  },
  /** Shows whether members must sign in at their company, and who is excepted, or with a second factor. */
  signInRules: {
    method: 'POST',
    path: '/v1/organization/sign-in/show',
    manage: 'organization.signInRules',
    summary: 'Show how members of the organization must sign in',
    auth: 'person',
    verb: 'manage',
    repeatable: true,
    request: z.object({ orgSlug: field.orgSlug }),
    bodyBytes: limits.bodyBytes,
    response: () =>
      z.object({
        isCompanyOnly,
        breakGlass: z.array(userId).describe('Ordered by id; empty if not company-only'),
        needsSecondFactor,
        joining: z
          .array(
            z.object({
              label: z.string().describe('Name of the company for people'),
              domains: z.array(z.string()).describe('Domains whose people join; empty: any'),
              tenants: z.array(z.string()).describe('Tenants of Microsoft Entra whose people join; empty: any'),
              role: field.role.describe('Role of those who join'),
            }),
          )
          .describe('Companies whose people join this organization by themselves, as the operator has set up'),
      }),
    errors: [],
  },
  /**
   * Changes whether members must sign in at their company or with a second factor. The answer means that it applies on every node.
   * Requiring the company, or removing an exception, ends the command-line sessions of those who are not excepted, and requiring a
   * second factor those of all people.
   */
  signInRulesSet: {
    method: 'POST',
    path: '/v1/organization/sign-in/set',
    manage: 'organization.setSignInRules',
    summary: 'Require that members sign in at their company or with a second factor, or end that',
    auth: 'owner',
    verb: 'manage',
    confirmation: true,
    repeatable: true,
    request: z.object({
      orgSlug: field.orgSlug,
      isCompanyOnly: isCompanyOnly
        .optional()
        .describe('Whether only a sign-in at a company opens the organization; absent: as is, with its exceptions'),
      needsSecondFactor: needsSecondFactor
        .optional()
        .describe('Whether a sign-in needs a second factor; the caller must have one; absent: as is'),
      breakGlass: z
        .array(userId)
        .max(limits.breakGlassOwners)
        .default([])
        .describe(
          'Owners who may still sign in with a password or passkey; required with isCompanyOnly, so that no failure of the company locks everyone out',
        ),
    }),
    bodyBytes: limits.bodyBytes,
    response: () => ok,
    errors: [],
  },
  /**
   * Deletes the organization on every node, starting with the next request. Ends every credential of it. Usage and audit log stay
   * with the operator.
   */
  organizationDelete: {
    method: 'POST',
    path: '/v1/organization/delete',
    manage: 'organization.delete',
    summary: 'Delete the organization with its projects, credentials and, at the embedded identity provider, members',
    auth: 'owner',
    verb: 'manage',
    confirmation: true,
    request: z
      .object({ orgSlug: field.orgSlug, confirm: z.string().describe('The slug again') })
      .refine((input) => input.confirm === input.orgSlug, { message: 'must repeat orgSlug', path: ['confirm'] }),
    bodyBytes: limits.bodyBytes,
    response: () => ok,
    errors: [],
  },
  /** Shows billing events by month, by day and by stage, and stored bytes by stage. */
  usage: {
    method: 'POST',
    path: '/v1/usage/show',
    manage: 'usage',
    summary: 'Show the usage of the organization by month, day and stage, and the limits of its plan',
    auth: 'caller',
    verb: 'list',
    at: 'any',
    expensive: true,
    request: z.object({
      orgSlug: field.orgSlug,
      months: z
        .number()
        .int()
        .min(1)
        .max(limits.usageMonths)
        .default(limits.usageMonthsByDefault)
        .describe('Number of months'),
      days: z
        .number()
        .int()
        .min(1)
        .max(limits.usageDays)
        .optional()
        .describe('Number of UTC days that days covers, today included; absent: this month and the last one'),
    }),
    bodyBytes: limits.bodyBytes,
    response: () =>
      z.object({
        months: z
          .array(z.object({ month: z.string().describe('YYYY-MM, UTC'), evaluations }))
          .describe('The latest months, oldest first, including those without evaluations'),
        days: z
          .array(
            z.object({
              day: z.string().describe('YYYY-MM-DD, UTC'),
              ...evaluatedStage,
              evaluations,
              reported: count
                .optional()
                .describe(
                  'Number of decisions that programs made by themselves and reported, never billed; absent: none',
                ),
            }),
          )
          .describe(
            'Those of the days asked for that had evaluations or reported decisions, by day and stage, the oldest first',
          ),
        storage: z
          .object({
            bytes: count.describe('Size of all sealed values, in bytes'),
            byStage: z
              .array(z.object({ ...stage, bytes: count.describe('Size of its sealed values, in bytes') }))
              .describe('Stages with variables, ordered by slugs'),
          })
          .describe('What is stored'),
        plan,
      }),
    errors: [],
  },
  /** Shows how many billing events each caller made in each stage. They add up to those of `usage`. */
  usageCallers: {
    method: 'POST',
    path: '/v1/usage/callers',
    manage: 'usageCallers',
    summary: 'Show the number of evaluations by caller and stage, over UTC days of the last 400',
    auth: 'person',
    verb: 'manage',
    expensive: true,
    repeatable: true,
    request: z.object({
      orgSlug: field.orgSlug,
      from: utcDay.describe('First UTC day: YYYY-MM-DD'),
      to: utcDay.describe('Last UTC day, included'),
    }),
    bodyBytes: limits.bodyBytes,
    response: () =>
      z.object({
        callers: z
          .array(
            z
              .object({
                caller: z
                  .string()
                  .optional()
                  .describe('Id of the user or the service token; absent for the last counts of an older version'),
                how: z
                  .enum(['provider', 'session', 'service'])
                  .optional()
                  .describe('Kind of credential; absent with caller'),
                ...evaluatedStage,
                evaluations,
              })
              .meta({ id: 'CallerUsage', description: 'Billing events of a caller in a stage' }),
          )
          .describe('Callers with the most evaluations first'),
        more: z.boolean().describe('Whether there are more results'),
      }),
    errors: [],
  },
  /**
   * Lists what needs attention: variables that only production lacks, those that should have got another value, service tokens that expire
   * soon, rolls whose split does not fit their chance, and for owners a replica that is behind. A service token sees what is within its
   * token scope.
   */
  attention: {
    method: 'POST',
    path: '/v1/organization/attention',
    manage: 'attention',
    summary:
      'List what is missing in production, what should be rotated, service tokens that expire soon, and rolls that do not fit their chance',
    auth: 'caller',
    verb: 'list',
    at: 'any',
    expensive: true,
    request: z.object({ orgSlug: field.orgSlug }),
    bodyBytes: limits.bodyBytes,
    response: () =>
      z.object({
        missing: z
          .array(
            z.object({
              ...stage,
              count: count.describe(
                'Number of variables that this stage lacks and that another stage of the project has or a declaration requires here, without those that an open change proposes for it',
              ),
              names: z.array(field.name).max(limits.missingNames).describe('The first of them by name'),
            }),
          )
          .describe(
            'Stages marked as production that lack variables, without archived ones and those that have none yet; by project, in its order',
          ),
        overdue: z
          .array(
            z.object({
              ...stage,
              count: count.describe('Number of variables that should have got another value'),
              names: z.array(field.name).max(limits.missingNames).describe('The first of them by name'),
            }),
          )
          .describe('Stages, without archived ones, with variables whose declared time without another value is over'),
        expiringTokens: z
          .array(
            z.object({
              id: field.tokenId,
              name: field.tokenName,
              expiresAtMs: field.timeMs.describe('When it expires, Unix time in milliseconds'),
            }),
          )
          .optional()
          .describe(
            'Service tokens that expire within 14 days, the first first; absent unless the caller may list them',
          ),
        misfits: z
          .array(z.object({ ...stage, name: field.name }))
          .describe('Rolls whose served split deviates from their chance; in the order of rolls'),
        replica: z
          .object({
            lagMs: count
              .optional()
              .describe('How long it has lacked its earliest missing change, in milliseconds; absent: it lacks none'),
            isReplaced: z
              .boolean()
              .describe('Whether another service has become its writer, so that this one is not in it'),
          })
          .optional()
          .describe(
            'What is wrong with the replica of the installation; absent for others than owners, and while it lacks nothing for longer than a minute',
          ),
      }),
    errors: [],
  },
  /** Finds variables by a part of their name. Ignores case, at least of ASCII letters. */
  search: {
    method: 'POST',
    path: '/v1/env/search',
    manage: 'search',
    summary: 'Find variables by a part of their name in all projects that are not archived',
    auth: 'caller',
    verb: 'list',
    at: 'any',
    expensive: true,
    request: z.object({
      orgSlug: field.orgSlug,
      query: field.name.describe('Part of the name, ignoring case'),
      limit: z
        .number()
        .int()
        .min(1)
        .max(limits.searchResults)
        .default(limits.searchResults)
        .describe('Maximum number of variables'),
    }),
    bodyBytes: limits.bodyBytes,
    response: () =>
      z.object({
        variables: z
          .array(
            described
              .pick({ name: true, kind: true, declaredType: true, exposure: true, description: true })
              .extend(stage),
          )
          .describe('Ordered by name, project and stage'),
        more: z.boolean().describe('Whether there are more results'),
      }),
    errors: [],
  },
  /** Streams new revisions within 2 seconds (HTML standard, section 9.2). An event has names, never a value. */
  events: {
    method: 'GET',
    path: '/v1/events',
    summary: 'Receive new revisions of the stages of a project as server-sent events',
    auth: 'caller',
    verb: 'list',
    streams: true,
    request: z.object({
      orgSlug: field.orgSlug,
      projectSlug: field.projectSlug,
      since: z
        .string()
        .max(limits.sinceCharacters)
        .optional()
        .describe(
          'What was received so far: the id of the last event, or revisions such as dev:12,prod:7; absent: all current ones',
        ),
    }),
    bodyBytes: 0,
    response: () =>
      z.object({
        stageSlug: field.stageSlug
          .optional()
          .describe('Stage that changed; absent: any stage may have changed, so read all of them again'),
        revision: field.revision.optional().describe('Revision of the stage; absent: any stage may have changed'),
        names: z
          .array(field.name)
          .optional()
          .describe('Variables that the revision changed; absent: read the whole stage again'),
      }),
    errors: ['NOT_FOUND', 'RATE_LIMITED'],
  },
} as const satisfies Record<string, Endpoint>
