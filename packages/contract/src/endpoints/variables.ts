/** Variables of a stage: read, evaluated, written. */
import { z } from 'zod'
import * as field from '../fields.ts'
import { limits } from '../limits.ts'
import { described, digested, evaluated, listed, writeEntry } from '../variables.ts'
import { stage, type Endpoint } from './endpoint.ts'

const roll = { seed: field.seed.optional(), key: field.key.optional() }
const one = { name: field.name, declaredType: field.declaredType.optional(), ...roll }

const metered = ['EVALUATION_FAILED', 'USAGE_LIMIT_EXCEEDED', 'BILLING_UNAVAILABLE'] as const

function hasDuplicates(names: readonly string[]): boolean {
  return new Set(names).size !== names.length
}

const write = z
  .object({
    ...stage,
    mode: z.enum(['upsert', 'create_only']),
    entries: z.array(writeEntry).max(limits.entries).default([]),
    deletes: z.array(field.name).max(limits.entries).default([]),
    ifRevision: field.revision.optional().describe('Write only if the stage is at this revision'),
  })
  .refine(({ entries, deletes }) => !hasDuplicates([...entries.map((entry) => entry.name), ...deletes]), {
    message: 'must name a variable only once over entries and deletes',
    path: ['entries'],
  })

export const variables = {
  evaluate: {
    method: 'POST',
    path: '/v1/env/evaluate',
    summary: 'Evaluate one variable',
    auth: 'caller',
    metered: true,
    request: z.object({ ...stage, ...one }),
    bodyBytes: limits.bodyBytes,
    response: evaluated,
    errors: ['VARIABLE_NOT_FOUND', ...metered],
  },
  evaluateBatch: {
    method: 'POST',
    path: '/v1/env/evaluate-batch',
    summary: 'Evaluate many variables in one billing event',
    auth: 'caller',
    metered: true,
    request: z.object({ ...stage, entries: z.array(z.object(one)).max(limits.entries) }),
    bodyBytes: limits.bodyBytes,
    response: z.object({ results: z.array(evaluated) }),
    errors: ['VARIABLE_NOT_FOUND', ...metered],
  },
  pull: {
    method: 'POST',
    path: '/v1/env/pull',
    summary: 'Evaluate every variable of a stage',
    auth: 'caller',
    metered: true,
    request: z.object({ ...stage, ...roll }),
    bodyBytes: limits.bodyBytes,
    response: z.object({ variables: z.record(z.string(), field.value), revision: field.revision }),
    errors: metered,
  },
  list: {
    method: 'POST',
    path: '/v1/env/list',
    summary: 'List the variables of a stage without their values',
    auth: 'caller',
    request: z.object(stage),
    bodyBytes: limits.bodyBytes,
    response: z.object({ variables: z.array(listed), revision: field.revision }),
    errors: [],
  },
  write: {
    method: 'POST',
    path: '/v1/env/write',
    summary: 'Create, update and delete variables, all or nothing',
    auth: 'caller',
    changes: true,
    request: write,
    bodyBytes: limits.writeBodyBytes,
    response: z.object({
      created: z.array(field.name),
      updated: z.array(field.name),
      deleted: z.array(field.name),
      revision: field.revision,
    }),
    errors: ['REVISION_CONFLICT', 'USAGE_LIMIT_EXCEEDED', 'BILLING_UNAVAILABLE'],
  },
  manifest: {
    method: 'GET',
    path: '/v1/typegen/manifest',
    summary: 'Metadata of a stage for type generation',
    auth: 'caller',
    request: z.object(stage),
    bodyBytes: 0,
    response: z.object({
      manifestVersion: z.literal(1),
      variables: z.array(described),
      revision: field.revision,
    }),
    errors: [],
  },
  digests: {
    method: 'POST',
    path: '/v1/env/digests',
    summary: 'Compare stages without seeing a value: a digest of each value, keyed per organization',
    auth: 'caller',
    request: z.object(stage),
    bodyBytes: limits.bodyBytes,
    response: z.object({ variables: z.array(digested), revision: field.revision }),
    errors: ['EVALUATION_FAILED'],
  },
} as const satisfies Record<string, Endpoint>
