/** The organization as a whole: its settings, what it uses, where its variables are. */
import { z } from 'zod'
import * as field from '../fields.ts'
import { limits } from '../limits.ts'
import { described } from '../variables.ts'
import { ok, type Endpoint } from './endpoint.ts'

const createsOnWrite = z.boolean().describe('Whether a write makes the project and the stage that it names')
const count = z.number().int().min(0)
const utcDay = z.iso.date()

const plan = z.object({
  name: z.enum(['unlimited', 'free']),
  evaluationsPerMonth: count.optional().describe('Billing events of a UTC calendar month; absent: without a limit'),
  storageBytes: count.optional().describe('Bytes of all sealed values; absent: without a limit'),
})

const stage = { projectSlug: field.projectSlug, stageSlug: field.stageSlug }

export const organization = {
  organization: {
    method: 'POST',
    path: '/v1/organization/show',
    summary: 'The settings of the organization and its plan',
    auth: 'caller',
    request: z.object({ orgSlug: field.orgSlug }),
    bodyBytes: limits.bodyBytes,
    response: z.object({ orgSlug: field.orgSlug, name: z.string(), createsOnWrite, plan }),
    errors: [],
  },
  organizationUpdate: {
    method: 'POST',
    path: '/v1/organization/update',
    summary: 'Change the settings of the organization',
    auth: 'admin',
    request: z.object({ orgSlug: field.orgSlug, createsOnWrite }),
    bodyBytes: limits.bodyBytes,
    response: ok,
    errors: [],
  },
  usage: {
    method: 'POST',
    path: '/v1/usage/show',
    summary: 'What the organization has used, by month, day and stage, and what its plan allows',
    auth: 'caller',
    expensive: true,
    request: z.object({
      orgSlug: field.orgSlug,
      months: z.number().int().min(1).max(limits.usageMonths).default(limits.usageMonthsByDefault),
    }),
    bodyBytes: limits.bodyBytes,
    response: z.object({
      months: z
        .array(z.object({ month: z.string().describe('YYYY-MM, UTC'), evaluations: count }))
        .describe('The latest months, the oldest first, also those without evaluations'),
      days: z
        .array(
          z.object({
            day: z.string().describe('YYYY-MM-DD, UTC'),
            projectSlug: field.projectSlug.optional().describe('Absent for pulls of a stage that did not exist'),
            stageSlug: field.stageSlug.optional().describe('Absent for pulls of a stage that did not exist'),
            evaluations: count,
          }),
        )
        .describe('Of this month and the last, as far as there were evaluations'),
      storage: z.object({
        bytes: count.describe('Of all sealed values'),
        byStage: z.array(z.object({ ...stage, bytes: count })),
      }),
      plan,
    }),
    errors: [],
  },
  usageCallers: {
    method: 'POST',
    path: '/v1/usage/callers',
    summary: 'Who evaluated how often, by caller and stage, over some UTC days of the last 400',
    auth: 'admin',
    expensive: true,
    request: z.object({
      orgSlug: field.orgSlug,
      from: utcDay.describe('First UTC day: YYYY-MM-DD'),
      to: utcDay.describe('Last UTC day, included'),
    }),
    bodyBytes: limits.bodyBytes,
    response: z.object({
      callers: z
        .array(
          z.object({
            caller: z
              .string()
              .optional()
              .describe('Id of the user or the service token; absent for what an older version counted last'),
            how: z.enum(['provider', 'session', 'service']).optional().describe('The kind of credential'),
            projectSlug: field.projectSlug.optional().describe('Absent for pulls of a stage that did not exist'),
            stageSlug: field.stageSlug.optional().describe('Absent for pulls of a stage that did not exist'),
            evaluations: count,
          }),
        )
        .describe('The most evaluations first'),
      more: z.boolean().describe('Whether there are more than these'),
    }),
    errors: [],
  },
  search: {
    method: 'POST',
    path: '/v1/env/search',
    summary: 'Find variables by a part of their name over all projects that are not archived',
    auth: 'caller',
    expensive: true,
    request: z.object({
      orgSlug: field.orgSlug,
      query: field.name.describe('What the name contains, upper and lower case alike'),
      limit: z.number().int().min(1).max(limits.searchResults).default(limits.searchResults),
    }),
    bodyBytes: limits.bodyBytes,
    response: z.object({
      variables: z.array(described.omit({ chance: true }).extend(stage)),
      more: z.boolean().describe('Whether there are more than these'),
    }),
    errors: [],
  },
  events: {
    method: 'GET',
    path: '/v1/events',
    summary: 'Be told of new revisions of the stages of a project as they come, by server-sent events',
    auth: 'caller',
    streams: true,
    request: z.object({
      orgSlug: field.orgSlug,
      projectSlug: field.projectSlug,
      since: z
        .string()
        .max(limits.sinceCharacters)
        .optional()
        .describe('What was seen already, such as dev:12,prod:7, the id of the last event; absent: everything so far'),
    }),
    bodyBytes: 0,
    response: z.object({
      stageSlug: field.stageSlug,
      revision: field.revision,
      names: z.array(field.name).optional().describe('What the revision touched; absent: read the whole stage anew'),
    }),
    errors: ['NOT_FOUND', 'RATE_LIMITED'],
  },
} as const satisfies Record<string, Endpoint>
