/** Variables of a stage: reads, evaluations and writes. */
import { z } from 'zod'
import * as field from '../fields.ts'
import { limits } from '../rules/limits.ts'
import {
  decidingSteps,
  described,
  digestEntry,
  evaluated,
  listed,
  revealedEntry,
  updates,
  writeEntry,
} from '../variables.ts'
import { stage, stageOfOrg, writeErrors, written, type Endpoint } from './endpoint.ts'

const roll = { seed: field.seed.optional(), key: field.key.optional(), context: field.context.optional() }
const evaluationEntry = {
  name: field.name,
  declaredType: field.declaredType.optional().describe('Type that the variable must have; absent: any'),
  ...roll,
  explain: z.boolean().optional().describe('Whether the answer tells what decided a roll; absent: it does not'),
}

const meteredErrors = ['EVALUATION_FAILED', 'USAGE_LIMIT_EXCEEDED', 'BILLING_UNAVAILABLE'] as const

const write = z
  .object({
    ...stage,
    mode: z.enum(['upsert', 'create_only']).describe('create_only: refuses entries that exist already'),
    entries: z.array(writeEntry).max(limits.entries).default([]).describe('Variables to create or update'),
    deletes: z.array(field.name).max(limits.entries).default([]).describe('Names of variables to delete'),
    ifRevision: field.revision.optional().describe('Write only if the stage is at this revision; absent: at any'),
  })
  .refine(({ entries, deletes }) => field.areDistinct([...entries.map((entry) => entry.name), ...deletes]), {
    message: 'must name a variable only once over entries and deletes',
    path: ['entries'],
  })

const update = z.object({
  ...stage,
  updates: updates
    .min(1)
    .refine((all) => field.areDistinct(all.map(({ name }) => name)), 'must name a variable only once')
    .describe('Variables, and what of them changes'),
  ifRevision: field.revision
    .optional()
    .describe('Change the variables only if the stage is at this revision; absent: at any'),
})

const copy = z
  .object({
    orgSlug: field.orgSlug,
    from: stageOfOrg.describe('Stage to copy from'),
    to: stageOfOrg.describe('Stage to copy to'),
    names: field.names(limits.entries),
    ifRevision: field.revision
      .optional()
      .describe('Copy only if the stage of `to` is at this revision; absent: at any'),
    fromRevision: field.revision
      .optional()
      .describe('Copy only if the stage of `from` is at this revision; absent: at any'),
  })
  .refine(({ from, to }) => from.projectSlug !== to.projectSlug || from.stageSlug !== to.stageSlug, {
    message: 'must be another stage than from',
    path: ['to'],
  })

export const variables = {
  /** Evaluates one variable. Each call is one billing event. Fails with `VARIABLE_NOT_FOUND` if the stage does not exist. */
  evaluate: {
    method: 'POST',
    path: '/v1/env/evaluate',
    summary: 'Evaluate one variable',
    auth: 'caller',
    verb: 'read',
    metered: true,
    request: z.object({ ...stage, ...evaluationEntry }),
    bodyBytes: limits.bodyBytes,
    response: () => evaluated,
    errors: ['VARIABLE_NOT_FOUND', ...meteredErrors],
  },
  /** Evaluates up to 1,000 variables in one billing event. If one of them fails, the whole batch fails. */
  evaluateBatch: {
    method: 'POST',
    path: '/v1/env/evaluate-batch',
    summary: 'Evaluate many variables in one billing event',
    auth: 'caller',
    verb: 'read',
    metered: true,
    request: z.object({
      ...stage,
      entries: z.array(z.object(evaluationEntry)).max(limits.entries).describe('Variables to evaluate'),
      context: field.context.optional().describe('Context of the entries without one; absent: none'),
    }),
    bodyBytes: limits.bodyBytes,
    response: () => z.object({ results: z.array(evaluated).describe('One result for each entry, in the same order') }),
    errors: ['VARIABLE_NOT_FOUND', ...meteredErrors],
  },
  /** Evaluates all variables of a stage in one billing event. Returns none, at revision 0, if the stage does not exist. */
  pull: {
    method: 'POST',
    path: '/v1/env/pull',
    summary: 'Evaluate every variable of a stage',
    auth: 'caller',
    verb: 'read',
    metered: true,
    request: z.object({ ...stage, ...roll }),
    bodyBytes: limits.bodyBytes,
    response: () =>
      z.object({
        variables: z.record(z.string(), field.value).describe('Values by name'),
        revision: field.revision,
      }),
    errors: meteredErrors,
  },
  /** Lists the variables of a stage without their values. Returns none, at revision 0, if the stage does not exist. */
  list: {
    method: 'POST',
    path: '/v1/env/list',
    summary: 'List the variables of a stage without their values',
    auth: 'caller',
    verb: 'list',
    request: z.object(stage),
    bodyBytes: limits.bodyBytes,
    response: () => z.object({ variables: z.array(listed).describe('Ordered by name'), revision: field.revision }),
    errors: [],
  },
  /** Writes up to 1,000 variables and deletes up to 1,000, atomically. The first write creates project and stage. */
  write: {
    method: 'POST',
    path: '/v1/env/write',
    summary: 'Create, update and delete variables, all or nothing',
    auth: 'caller',
    verb: 'write',
    changes: true,
    writesVariables: true,
    repeatable: true,
    request: write,
    bodyBytes: limits.writeBodyBytes,
    response: () => written,
    errors: ['EVALUATION_FAILED', ...writeErrors, 'BILLING_UNAVAILABLE'],
  },
  /**
   * Changes up to 1,000 variables without their values: how rolls decide, exposure and description. The caller need not know the values,
   * nor, to pin or unpin seeds, the pins.
   */
  update: {
    method: 'POST',
    path: '/v1/env/update',
    summary: 'Change chance, rules, pins or attributes of variables without sending their values, all or nothing',
    auth: 'caller',
    verb: 'write',
    changes: true,
    writesVariables: true,
    repeatable: true,
    request: update,
    bodyBytes: limits.writeBodyBytes,
    response: () => z.object({ revision: field.revision }),
    errors: ['VARIABLE_NOT_FOUND', 'EVALUATION_FAILED', ...writeErrors, 'BILLING_UNAVAILABLE'],
  },
  /** Shows the pins of a roll to a person. Seeds identify users, so no list shows them. */
  pins: {
    method: 'POST',
    path: '/v1/env/pins',
    summary: 'Show the pins of a roll to a person',
    auth: 'person',
    verb: 'read',
    request: z.object({ ...stage, name: field.name }),
    bodyBytes: limits.bodyBytes,
    response: () =>
      z.object({
        a: z.array(field.seed).describe('Seeds that get A, ordered by code point'),
        b: z.array(field.seed).describe('Seeds that get B, ordered by code point'),
        revision: field.revision,
      }),
    errors: ['VARIABLE_NOT_FOUND', 'EVALUATION_FAILED'],
  },
  /** Tells how a roll decides for a seed, key and context. It returns no value and is not a billing event. */
  explain: {
    method: 'POST',
    path: '/v1/env/explain',
    summary: 'Explain which step of a roll decides for a seed, key and context',
    auth: 'caller',
    verb: 'read',
    expensive: true,
    request: z.object({ ...stage, name: field.name, ...roll }),
    bodyBytes: limits.bodyBytes,
    response: () =>
      z.object({
        name: field.name,
        decision: z.enum(['a', 'b']).optional().describe('Side; absent if it is random, without seed and key'),
        step: z.enum(decidingSteps).describe('What decides'),
        rule: z
          .number()
          .int()
          .min(1)
          .optional()
          .describe('Number of the targeting rule, from 1; absent if none decides'),
        unit: z
          .number()
          .optional()
          .describe(
            'Bucket of name, seed and key, at least 0 and below 1; absent if no chance decides, or if it is random',
          ),
        chance: field.chance.optional().describe('Probability of value A that decides; absent if no chance decides'),
        text: z.string().describe('The step for people, such as: rule 2: 0.31 < 0.5'),
        revision: field.revision,
      }),
    errors: ['VARIABLE_NOT_FOUND', 'EVALUATION_FAILED'],
  },
  /** Makes variables of the stage `to` equal to those of the stage `from`. Leaves the other variables of `to` unchanged. */
  copy: {
    method: 'POST',
    path: '/v1/env/copy',
    summary: 'Copy variables from another stage, all or nothing',
    auth: 'caller',
    verb: 'write',
    changes: true,
    writesVariables: true,
    repeatable: true,
    request: copy,
    bodyBytes: limits.bodyBytes,
    response: () => written,
    errors: ['VARIABLE_NOT_FOUND', 'EVALUATION_FAILED', 'CONFIRMATION_REQUIRED', ...writeErrors],
  },
  /** Shows up to 100 stored values to a person. It is not a billing event, and the audit log has an entry for each call. */
  reveal: {
    method: 'POST',
    path: '/v1/env/reveal',
    manage: 'reveal',
    summary: 'Reveal values to a person, both sides of a roll; each call is in the audit log',
    auth: 'person',
    verb: 'read',
    request: z.object({
      ...stage,
      names: z.array(field.name).min(1).max(limits.revealedVariables).describe('Names of variables'),
    }),
    bodyBytes: limits.bodyBytes,
    response: () =>
      z.object({
        variables: z.array(revealedEntry).describe('Variables with their values'),
        revision: field.revision,
      }),
    errors: ['VARIABLE_NOT_FOUND', 'EVALUATION_FAILED'],
  },
  /** Shows all variables of a stage whose exposure is `plain` or `client` to a person. It is neither metered nor audited. */
  plain: {
    method: 'POST',
    path: '/v1/env/plain',
    manage: 'stage.plainValues',
    summary: 'Show the values of all variables that are not secret to a person, both sides of a roll',
    auth: 'person',
    verb: 'read',
    expensive: true,
    request: z.object(stage),
    bodyBytes: limits.bodyBytes,
    response: () =>
      z.object({
        variables: z
          .array(revealedEntry)
          .describe('Variables whose exposure is plain or client, with their values, ordered by name'),
        revision: field.revision,
      }),
    errors: [],
  },
  /** Shows names, kinds, declared types and attributes. */
  manifest: {
    method: 'GET',
    path: '/v1/typegen/manifest',
    summary: 'Show the metadata of a stage for type generation',
    auth: 'caller',
    verb: 'list',
    hasEtag: true,
    request: z.object(stage),
    bodyBytes: 0,
    response: () =>
      z.object({
        manifestVersion: z.literal(1).describe('Version of this format'),
        variables: z.array(described).describe('Ordered by name'),
        revision: field.revision,
      }),
    errors: [],
  },
  /** Lists the variables of a stage with an HMAC-SHA-256 of each value, to compare stages without seeing a value. */
  digests: {
    method: 'POST',
    path: '/v1/env/digests',
    summary: 'List a digest of each value, keyed per organization, to compare stages without seeing a value',
    auth: 'caller',
    verb: 'list',
    expensive: true,
    request: z.object(stage),
    bodyBytes: limits.bodyBytes,
    response: () =>
      z.object({
        variables: z.array(digestEntry).describe('Ordered by name'),
        revision: field.revision,
        valuesHidden: z
          .literal(true)
          .optional()
          .describe(
            'Whether digests equal only others of one variable, as the caller may not read the stage; absent if not',
          ),
      }),
    errors: [],
  },
} as const satisfies Record<string, Endpoint>
