/** The history of variables, the audit log and the counts of rolls. */
import { z } from 'zod'
import { auditAction, auditEntry } from '../audit.ts'
import * as field from '../fields.ts'
import { limits } from '../rules/limits.ts'
import { state, valueTexts } from '../variables.ts'
import { stage, written, writeErrors, type Endpoint } from './endpoint.ts'

const { kind, digests, ...optional } = state.shape
const { chance } = optional

const effect = z.enum(['created', 'updated', 'deleted', 'restored']).describe('What the revision did to the variable')
const writtenAtMs = field.timeMs.describe('When the revision was made, Unix time in milliseconds')
const clientText = 'Client as a text for people, such as: cli session laptop'

/** The proposed change that made a revision. */
const applied = {
  changeId: field.changeId
    .optional()
    .describe('Proposed change that made the revision; absent: it was written directly, or by a step of a ramp'),
  reason: z.string().optional().describe('Why that change was proposed; absent without changeId'),
  proposedBy: field.author
    .optional()
    .describe('Id of the user, the service token or the trust that proposed that change; absent without changeId'),
  proposedWith: z
    .string()
    .optional()
    .describe('Client of that proposal as a text for people, such as: cli session laptop; absent without changeId'),
}

/** A change, with the state after it. */
const change = z
  .object({
    kind: kind.optional().describe('Kind of the variable; absent if it was deleted'),
    ...optional,
    digests: digests.optional().describe('Digest of each value; absent if the variable was deleted'),
    revision: field.revision,
    name: field.name,
    change: effect,
    before: state.optional().describe('Absent if there was none or if it is older than the history'),
    writtenAtMs,
    writtenBy: field.author,
    client: z.string().optional().describe(`${clientText}; absent if it is unknown`),
    ...applied,
  })
  .meta({ id: 'HistoryChange', description: 'What a revision did to a variable, with the state after it' })

const servedCounts = z
  .object({
    a: z.number().int().min(0).describe('How many times value A was served'),
    b: z.number().int().min(0).describe('How many times value B was served'),
  })
  .meta({ id: 'ServedCounts', description: 'How many times each side was served' })

/** A time span, which includes its first time and excludes its last. */
const span = {
  fromMs: field.timeMs.optional().describe('First time, included, Unix time in milliseconds; absent: the earliest'),
  toMs: field.timeMs.optional().describe('Last time, excluded, Unix time in milliseconds; absent: the latest'),
}

/** Which changes of a stage are meant. */
const changesFilter = z
  .object({
    ...stage,
    name: field.name.optional().describe('Only changes of this variable; absent: of all'),
    before: field.revision.optional().describe('Only revisions before this one; absent: from the newest'),
    limit: z
      .number()
      .int()
      .min(1)
      .max(limits.historyChanges)
      .default(limits.historyChangesByDefault)
      .describe('Maximum number of changes'),
  })
  .meta({ id: 'HistoryFilter', description: 'Which changes of a stage to list' })

export const history = {
  /** Lists what each revision changed, newest first, with digests in place of values. */
  history: {
    method: 'POST',
    path: '/v1/env/history',
    summary: 'List the changes of a stage or of a variable, with digests in place of values',
    auth: 'caller',
    verb: 'list',
    history: true,
    expensive: true,
    request: changesFilter,
    bodyBytes: limits.bodyBytes,
    response: () =>
      z.object({
        changes: z
          .array(change)
          .describe('Newest first; all changes of a revision are included, even beyond the limit'),
      }),
    errors: [],
  },
  /**
   * Shows values before and after each change to a person, where the variable was not secret at the time and is not since. It is neither
   * metered nor audited.
   */
  plainHistory: {
    method: 'POST',
    path: '/v1/env/plain-history',
    summary: 'Show the values of variables that are not secret before and after each change to a person',
    auth: 'person',
    verb: 'read',
    history: true,
    expensive: true,
    request: changesFilter,
    bodyBytes: limits.bodyBytes,
    response: () =>
      z.object({
        changes: z
          .array(
            z.object({
              revision: field.revision,
              name: field.name,
              before: valueTexts.optional().describe('Values before the change; absent if there were none to show'),
              after: valueTexts.optional().describe('Values after the change; absent if there are none to show'),
            }),
          )
          .describe(
            'The changes that env/history lists for the same request and that have values to show, in its order',
          ),
      }),
    errors: [],
  },
  /** Lists the latest revisions of all stages. A service token sees those of the stages within its token scope. */
  recentHistory: {
    method: 'POST',
    path: '/v1/history/recent',
    manage: 'recentHistory',
    summary: 'List the latest revisions of all stages of the organization',
    auth: 'caller',
    verb: 'list',
    at: 'any',
    history: true,
    expensive: true,
    request: z.object({
      orgSlug: field.orgSlug,
      before: z
        .number()
        .int()
        .min(1)
        .optional()
        .describe('Only older revisions: next of the previous answer; absent: from the newest'),
      limit: z
        .number()
        .int()
        .min(1)
        .max(limits.recentRevisions)
        .default(limits.recentRevisions)
        .describe('Maximum number of revisions'),
    }),
    bodyBytes: limits.bodyBytes,
    response: () =>
      z.object({
        revisions: z
          .array(
            z
              .object({
                projectSlug: field.projectSlug,
                stageSlug: field.stageSlug,
                revision: field.revision,
                writtenAtMs,
                writtenBy: field.author,
                client: z.string().describe(clientText),
                ...applied,
                changes: z
                  .array(
                    z.object({
                      name: field.name,
                      change: effect,
                      chance: chance.describe('Probability of value A after the revision; absent unless it is a roll'),
                      chanceBefore: chance.describe(
                        'Probability of value A before the revision; absent if it was not a roll, or if the history does not reach back to it',
                      ),
                    }),
                  )
                  .max(limits.recentChanges)
                  .describe('The first changes by name; fewer if they are older than the history'),
                changeCount: z.number().int().min(0).describe('Number of all variables that the revision changed'),
              })
              .meta({ id: 'RecentRevision', description: 'A revision of a stage, and the first of its changes' }),
          )
          .describe('Newest first'),
        next: z
          .number()
          .int()
          .optional()
          .describe('What to send as before for older revisions; absent if there are none'),
      }),
    errors: [],
  },
  /** Sets variables to their state at an earlier revision, as a new revision. Writes nothing if nothing differs. */
  restore: {
    method: 'POST',
    path: '/v1/env/restore',
    summary: 'Restore variables, or the whole stage, to their state at an earlier revision',
    auth: 'caller',
    verb: 'write',
    changes: true,
    writesVariables: true,
    history: true,
    repeatable: true,
    request: z.object({
      ...stage,
      revision: z.number().int().min(1).describe('Revision to go back to'),
      names: field.names(limits.entries).optional().describe('Only these variables; absent: the whole stage'),
      ifRevision: field.revision.optional().describe('Restore only if the stage is at this revision; absent: at any'),
    }),
    bodyBytes: limits.bodyBytes,
    response: () => written,
    errors: ['VARIABLE_NOT_FOUND', ...writeErrors],
  },
  /** Counts how many times each value of a roll was served, by UTC hour, for up to 90 days. */
  rollCounts: {
    method: 'POST',
    path: '/v1/env/roll-counts',
    summary: 'Show how often the values of a roll were served, by hour; the last seconds may be missing',
    auth: 'caller',
    verb: 'list',
    expensive: true,
    request: z.object({ ...stage, name: field.name, ...span }),
    bodyBytes: limits.bodyBytes,
    response: () =>
      z.object({
        hours: z
          .array(
            z.object({
              fromMs: field.timeMs.describe('Start of the hour, Unix time in milliseconds'),
              ...servedCounts.shape,
              pins: servedCounts.optional().describe('How many of these a pin decided; absent: none'),
              rules: servedCounts.optional().describe('How many of these a targeting rule decided; absent: none'),
              reported: servedCounts
                .optional()
                .describe('How many of these programs decided by themselves; absent: none'),
              chance: field.chance.optional().describe('Probability of value A; absent if it changed within the hour'),
            }),
          )
          .describe('UTC hours with evaluations, earliest first'),
      }),
    errors: ['VARIABLE_NOT_FOUND'],
  },
  /** Lists the rolls of all stages that are not archived. A service token sees those within its token scope. */
  rolls: {
    method: 'POST',
    path: '/v1/rolls/list',
    manage: 'rolls',
    summary: 'List the A/B rolls of the organization with their chances and how often each value was served',
    auth: 'caller',
    verb: 'list',
    at: 'any',
    expensive: true,
    request: z.object({
      orgSlug: field.orgSlug,
      after: z
        .object({ projectSlug: field.projectSlug, stageSlug: field.stageSlug, name: field.name })
        .optional()
        .describe('Only rolls after this one: the last of the previous answer; absent: from the first'),
      limit: z.number().int().min(1).max(limits.rolls).default(limits.rolls).describe('Maximum number of rolls'),
    }),
    bodyBytes: limits.bodyBytes,
    response: () =>
      z.object({
        rolls: z
          .array(
            z
              .object({
                projectSlug: field.projectSlug,
                stageSlug: field.stageSlug,
                name: field.name,
                declaredType: optional.declaredType,
                chance: field.chance,
                createdAtMs: field.timeMs.describe('When it was created, Unix time in milliseconds'),
                updatedAtMs: field.timeMs.describe('When it was last written, Unix time in milliseconds'),
                chanceSinceMs: field.timeMs.describe(
                  'When the chance became what it is, Unix time in milliseconds; if the history does not reach back to it: the first time at which the chance is known to be that',
                ),
                served: servedCounts.describe('In the last 30 UTC days, today included'),
                labels: optional.labels,
                pinned: optional.pinned,
                ruleCount: z.number().int().optional().describe('Number of targeting rules; absent: none'),
                sinceChance: servedCounts.describe(
                  'By the chance, without pins and targeting rules, in the UTC hours since then that had no other chance, of the last 90 days',
                ),
              })
              .meta({ id: 'ListedRoll', description: 'A roll of a stage, and how it was served' }),
          )
          .describe('Ordered by project, stage and name'),
        more: z.boolean().describe('Whether there are more results'),
      }),
    errors: [],
  },
  /** Lists what was done in the organization, newest first. */
  audit: {
    method: 'POST',
    path: '/v1/audit/list',
    manage: 'audit',
    summary: 'List the audit log of the organization, newest first',
    auth: 'person',
    verb: 'manage',
    expensive: true,
    repeatable: true,
    request: z.object({
      orgSlug: field.orgSlug,
      actor: z.string().optional().describe('Only entries of this user or service token; absent: of all'),
      action: auditAction.optional().describe('Only entries of this action; absent: of all'),
      projectSlug: field.projectSlug.optional().describe('Only entries of this project; absent: of all'),
      stageSlug: field.stageSlug.optional().describe('Only entries of stages with this slug; absent: of all'),
      name: field.name.optional().describe('Only entries that name this variable; absent: all'),
      ...span,
      before: z.number().int().min(1).optional().describe('Only entries of a lower seq; absent: from the newest'),
      limit: z
        .number()
        .int()
        .min(1)
        .max(limits.auditEntries)
        .default(limits.auditEntriesByDefault)
        .describe('Maximum number of entries'),
    }),
    bodyBytes: limits.bodyBytes,
    response: () => z.object({ entries: z.array(auditEntry).describe('Newest first') }),
    errors: [],
  },
} as const satisfies Record<string, Endpoint>
