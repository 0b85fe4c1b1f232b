/** Variables on the wire: discriminated unions on `kind` (docs/api.md, "Variables"). */
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

/** A variable in a write. */
export const writeEntry = z.discriminatedUnion('kind', [secretEntry, abRollEntry])

/** A variable in the answer of an evaluation. */
export const evaluated = z.object({
  name: field.name,
  kind: z.enum(['secret', 'ab_roll']),
  value: field.value,
  declaredType: field.declaredType.optional(),
  decision: z.enum(['a', 'b']).optional().describe('Side that an ab_roll chose'),
})

/** A variable without its values. */
export const described = z.object({
  name: field.name,
  kind: z.enum(['secret', 'ab_roll']),
  declaredType: field.declaredType.optional(),
  chance: field.chance.optional().describe('ab_roll only'),
})

/** A variable in a list, without its values. */
export const listed = described.extend({ createdAtMs: field.timeMs, updatedAtMs: field.timeMs })

const digest = z
  .string()
  .describe('HMAC-SHA-256 of the value with a key of the organization, 43 characters of base64url')

/**
 * A variable with a digest of each of its values. Within one organization, equal digests mean equal values. A value that
 * does not open has no digest.
 */
export const digested = described.extend({
  digests: z.object({
    value: digest.optional().describe('secret only; absent if the value does not open'),
    a: digest.optional().describe('ab_roll only; absent if the value does not open'),
    b: digest.optional().describe('ab_roll only; absent if the value does not open'),
  }),
})

/** A variable in a write. */
export type WriteEntry = z.output<typeof writeEntry>
/** The kind of a variable. */
export type Kind = WriteEntry['kind']
/** A variable in the answer of an evaluation. */
export type Evaluated = z.output<typeof evaluated>
/** A variable without its values. */
export type Described = z.output<typeof described>
/** A variable in a list, without its values. */
export type Listed = z.output<typeof listed>
/** A variable with digests of its values. */
export type Digested = z.output<typeof digested>
