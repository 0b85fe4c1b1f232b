/** Variables as they travel: discriminated unions on `kind`. Specification, "Variable" and "POST /v1/env/write". */
import { z } from 'zod'
import * as field from './fields.ts'

const secretEntry = z.object({
  name: field.name,
  kind: z.literal('secret'),
  value: field.value,
  declaredType: field.declaredType.optional(),
})

const abRollEntry = z.object({
  name: field.name,
  kind: z.literal('ab_roll'),
  valueA: field.value,
  valueB: field.value,
  chance: field.chance,
  declaredType: field.declaredType.optional(),
})

/** A variable as a write states it. */
export const writeEntry = z.discriminatedUnion('kind', [secretEntry, abRollEntry])

/** A variable as an evaluation answers it. */
export const evaluated = z.object({
  name: field.name,
  kind: z.enum(['secret', 'ab_roll']),
  value: field.value,
  declaredType: field.declaredType.optional(),
  decision: z.enum(['a', 'b']).optional().describe('Which value an ab_roll gave'),
})

/** A variable without its values. */
export const described = z.object({
  name: field.name,
  kind: z.enum(['secret', 'ab_roll']),
  declaredType: field.declaredType.optional(),
  chance: field.chance.optional().describe('ab_roll only'),
})

export const listed = described.extend({ createdAtMs: field.timeMs, updatedAtMs: field.timeMs })

const digest = z.string().describe('HMAC-SHA-256 of the value by a key of the organization, 43 characters of base64url')

/**
 * A variable with a digest of each of its values: equal digests are equal values, within one organization. A value that
 * does not open has none.
 */
export const digested = described.extend({
  digests: z.object({
    value: digest.optional().describe('secret only; absent if the value does not open'),
    a: digest.optional().describe('ab_roll only; absent if the value does not open'),
    b: digest.optional().describe('ab_roll only; absent if the value does not open'),
  }),
})

export type WriteEntry = z.output<typeof writeEntry>
export type Kind = WriteEntry['kind']
export type Evaluated = z.output<typeof evaluated>
export type Described = z.output<typeof described>
export type Listed = z.output<typeof listed>
export type Digested = z.output<typeof digested>
