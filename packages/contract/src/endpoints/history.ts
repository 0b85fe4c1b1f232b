/** The history of variables, the audit log and the counts of rolls. */
import { z } from 'zod'
import { auditAction, auditEntry } from '../audit.ts'
import * as field from '../fields.ts'
import { limits } from '../limits.ts'
import { digested } from '../variables.ts'
import { stage, written, writeErrors, type Endpoint } from './endpoint.ts'

const state = digested.omit({ name: true })

const change = state.partial().extend({
  revision: field.revision,
  name: field.name,
  change: z.enum(['created', 'updated', 'deleted', 'restored']),
  before: state.optional().describe('Absent if there was none or if it is older than the history'),
  writtenAtMs: field.timeMs,
  writtenBy: z.string().describe('Id of the user at the identity provider, or of the service token'),
  client: z.string().optional().describe('Client as a text for people, such as: cli session laptop'),
})

/** A time span: from the first time, included, to the second, excluded. */
const span = { fromMs: field.timeMs.optional(), toMs: field.timeMs.optional() }

export const history = {
  /** Lists what each revision changed, newest first, with digests in place of values. */
  history: {
    method: 'POST',
    path: '/v1/env/history',
    summary: 'List the changes of a stage or of a variable, with digests in place of values',
    auth: 'caller',
    history: true,
    expensive: true,
    request: z.object({
      ...stage,
      name: field.name.optional().describe('Only of this variable'),
      before: field.revision.optional().describe('Only of revisions before this one'),
      limit: z.number().int().min(1).max(limits.historyChanges).default(limits.historyChangesByDefault),
    }),
    bodyBytes: limits.bodyBytes,
    response: z.object({
      changes: z.array(change).describe('Newest first; all changes of a revision are included, even beyond the limit'),
    }),
    errors: [],
  },
  /** Sets variables to their state at an earlier revision, as a new revision. Writes nothing if nothing differs. */
  restore: {
    method: 'POST',
    path: '/v1/env/restore',
    summary: 'Restore variables, or the whole stage, to their state at an earlier revision',
    auth: 'caller',
    changes: true,
    history: true,
    request: z.object({
      ...stage,
      revision: z.number().int().min(1).describe('Revision to go back to'),
      names: field.names(limits.entries).optional().describe('Only these variables'),
      ifRevision: field.revision.optional().describe('Restore only if the stage is at this revision'),
    }),
    bodyBytes: limits.bodyBytes,
    response: written,
    errors: ['VARIABLE_NOT_FOUND', ...writeErrors],
  },
  /** Counts how many times each value of a roll was served, by UTC hour, for up to 90 days. */
  rollCounts: {
    method: 'POST',
    path: '/v1/env/roll-counts',
    summary: 'Show how often the values of a roll were served, by hour; the last seconds may be missing',
    auth: 'caller',
    expensive: true,
    request: z.object({ ...stage, name: field.name, ...span }),
    bodyBytes: limits.bodyBytes,
    response: z.object({
      hours: z.array(
        z.object({
          fromMs: field.timeMs,
          a: z.number().int(),
          b: z.number().int(),
          chance: field.chance.optional().describe('Absent if it changed within the hour'),
        }),
      ),
    }),
    errors: ['VARIABLE_NOT_FOUND'],
  },
  /** Lists what was done in the organization, newest first. */
  audit: {
    method: 'POST',
    path: '/v1/audit/list',
    summary: 'List the audit log of the organization, newest first',
    auth: 'admin',
    expensive: true,
    request: z.object({
      orgSlug: field.orgSlug,
      actor: z.string().optional(),
      action: auditAction.optional(),
      projectSlug: field.projectSlug.optional(),
      stageSlug: field.stageSlug.optional(),
      name: field.name.optional().describe('Name of a variable'),
      ...span,
      before: z.number().int().min(1).optional().describe('Only entries of a lower seq'),
      limit: z.number().int().min(1).max(limits.auditEntries).default(limits.auditEntriesByDefault),
    }),
    bodyBytes: limits.bodyBytes,
    response: z.object({ entries: z.array(auditEntry) }),
    errors: [],
  },
} as const satisfies Record<string, Endpoint>
