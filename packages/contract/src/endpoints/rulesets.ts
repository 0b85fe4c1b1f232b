/** Decisions inside programs: what they decide by, and the counts that they report (docs/in-process.md). */
import { z } from 'zod'
import * as field from '../fields.ts'
import { sides } from '../rules/bucket.ts'
import { limits } from '../rules/limits.ts'
import { decidingSteps, described } from '../variables.ts'
import { stage, type Endpoint } from './endpoint.ts'

const { name, declaredType, exposure, labels, rules, rotating } = described.shape
const common = { name, declaredType, exposure }
const pinHashes = z.array(z.string()).describe('Hashes of seeds, each 32 hexadecimal digits')

const ruleOfSecret = z
  .object({ ...common, kind: z.literal('secret').describe('Kind of the variable'), value: field.value })
  .meta({ id: 'RulesetSecret', description: 'A variable with one value in a ruleset' })

const ruleOfRoll = z
  .object({
    ...common,
    kind: z.literal('ab_roll').describe('Kind of the variable'),
    valueA: field.value,
    valueB: field.value,
    chance: field.chance,
    labels,
    rules,
    rotating,
    pins: z
      .object({ a: pinHashes, b: pinHashes })
      .optional()
      .describe('Pinned seeds by side: the first 16 bytes of SHA-256 of the salt and the seed; absent: none'),
  })
  .meta({ id: 'RulesetRoll', description: 'An A/B roll in a ruleset' })

const ruleOfVariable = z
  .discriminatedUnion('kind', [ruleOfSecret, ruleOfRoll])
  .meta({ id: 'RulesetVariable', description: 'A variable in a ruleset, with all its values' })

const reportedDecisions = z
  .object({
    name: field.name,
    decision: z.enum(sides).optional().describe('Side of a roll; absent for another variable'),
    step: z.enum(decidingSteps).optional().describe('What decided a roll; absent for another variable'),
    rule: z.number().int().min(1).optional().describe('Number of the targeting rule, from 1; absent if none decided'),
    chance: field.chance
      .optional()
      .describe('Probability of value A by which the chance of the roll decided; absent: the current one'),
    count: z.number().int().min(1).max(limits.reportedCount).describe('Number of decisions'),
    day: z.iso.date().optional().describe('UTC day of the decisions: today or yesterday; absent: today'),
  })
  .refine(({ decision, step }) => (decision === undefined) === (step === undefined), {
    message: 'must be stated if decision is, and absent otherwise',
    path: ['step'],
  })
  .meta({ id: 'ReportedDecisions', description: 'Number of equal decisions that a program made' })

export const rulesets = {
  /**
   * Returns what a program needs to decide by itself: every roll of the stage, and every other variable that is not secret. Each answer
   * with status 200 is one billing event, and a 304 is none. Returns none, at revision 0, if the stage does not exist.
   */
  ruleset: {
    method: 'POST',
    path: '/v1/env/ruleset',
    summary: 'Show the rolls and the variables that are not secret, for decisions inside a program',
    auth: 'caller',
    verb: 'read',
    manage: 'stage.ruleset',
    metered: true,
    hasEtag: true,
    request: z.object({
      ...stage,
      names: z
        .array(field.name)
        .max(limits.entries)
        .refine(field.areDistinct, 'must name a variable only once')
        .optional()
        .describe('Only these variables, secrets among them; absent: all rolls, and others that are not secret'),
    }),
    bodyBytes: limits.bodyBytes,
    response: () =>
      z.object({
        revision: field.revision,
        salt: z.string().describe('Text before each seed in the hashes of pins; empty without variables'),
        variables: z.array(ruleOfVariable).describe('Ordered by name'),
      }),
    errors: ['EVALUATION_FAILED', 'USAGE_LIMIT_EXCEEDED', 'BILLING_UNAVAILABLE'],
  },
  /** Counts decisions that a program made by itself, for the statistics of rolls and the last day of evaluation. It is never a billing event. */
  report: {
    method: 'POST',
    path: '/v1/env/report',
    summary: 'Report how often a program decided by itself',
    auth: 'caller',
    verb: 'read',
    keyed: true,
    request: z.object({
      ...stage,
      decisions: z.array(reportedDecisions).min(1).max(limits.entries).describe('Decisions that the program made'),
    }),
    bodyBytes: limits.bodyBytes,
    response: () =>
      z.object({
        counted: z.number().int().min(0).describe('Number of rows that were counted'),
        ignored: z.number().int().min(0).describe('Number of rows whose variable or roll the stage does not have'),
      }),
    errors: [],
  },
} as const satisfies Record<string, Endpoint>
