/** Variables on the wire: discriminated unions on `kind` (docs/api.md, "Variables"). */
import { z } from 'zod'
import * as field from './fields.ts'
import {
  kindNames,
  statedAttributes,
  statesNothing,
  type AttributeName,
  type EntryField,
  type UpdateField,
} from './rules/kinds.ts'
import { limits } from './rules/limits.ts'

/** The schemas of exactly these fields. */
type Shape<Field extends string> = Record<Field, z.ZodType>
/** The fields of a variable that the table of kinds does not know. */
type Common = 'name' | 'kind' | 'declaredType'

const entryType = field.declaredType
  .optional()
  .describe('Type that the value must parse as; absent in a write: as stored; absent in an answer: string')

const written = 'absent in a write: as stored'
const isTemplate = z
  .boolean()
  .optional()
  .describe(
    'Whether each value is a template, in which ${NAME} stands for the value of another secret of the stage, and $${ for ${; absent: it is plain text',
  )
const templateText = field.value.describe('Text of the template')

/** The attributes that a write may omit. */
const entryAttributes = {
  exposure: field.exposure
    .nullable()
    .optional()
    .describe(`${field.exposure.description}; null: secret; ${written}; absent in an answer: secret`),
  description: field.description
    .nullable()
    .optional()
    .describe(`${field.description.description}; null: none; ${written}; absent in an answer: none`),
}

/** The attributes of a roll that a write may omit. */
const rollAttributes = {
  labels: field.labels.nullable().optional().describe(`${field.labels.description}; null: none; ${written}`),
  rules: field.rules.nullable().optional().describe(`${field.rules.description}; null: none; ${written}`),
  pins: field.pins.nullable().optional().describe(`${field.pins.description}; null: none; ${written}`),
}

const update = z
  .object({
    name: field.name,
    chance: field.chance.optional().describe('Probability of value A, from 0 to 1; absent: as stored'),
    ...rollAttributes,
    pin: field.pins
      .optional()
      .describe('Seeds to add to the pins; one that is pinned to the other side moves; absent: none'),
    unpin: z.array(field.seed).max(limits.entries).optional().describe('Seeds to remove from the pins; absent: none'),
    ...entryAttributes,
  } satisfies Shape<UpdateField | 'name'>)
  .refine((given) => statedAttributes(given).length > 0, { message: statesNothing, path: ['description'] })
  .refine(({ pins, pin, unpin }) => pins === undefined || (pin === undefined && unpin === undefined), {
    message: 'must be absent if pin or unpin is stated',
    path: ['pins'],
  })
  .meta({ id: 'VariableUpdate', description: 'A variable, and what of it changes without its values' })

/** What changes of variables without their values. */
export const updates = z.array(update).max(limits.entries)

const secretEntry = z
  .object({
    name: field.name,
    kind: z.literal('secret').describe('Kind of the variable'),
    value: field.value,
    template: isTemplate,
    declaredType: entryType,
    ...entryAttributes,
  } satisfies Shape<EntryField<'secret'> | Common | 'template'>)
  .meta({ id: 'SecretEntry', description: 'A secret in a write' })

const abRollEntry = z
  .object({
    name: field.name,
    kind: z.literal('ab_roll').describe('Kind of the variable'),
    valueA: field.value,
    valueB: field.value,
    template: isTemplate,
    chance: field.chance,
    declaredType: entryType,
    ...entryAttributes,
    ...rollAttributes,
  } satisfies Shape<EntryField<'ab_roll'> | Common | 'template'>)
  .meta({ id: 'RollEntry', description: 'An A/B roll in a write' })

/** A variable in a write. */
export const writeEntry = z
  .discriminatedUnion('kind', [secretEntry, abRollEntry])
  .describe('A variable with its values')
  .meta({ id: 'WriteEntry' })

const noTemplate = 'absent: not a template'
const revealedSecret = secretEntry
  .extend({
    template: templateText.optional().describe(`Text of the template, of which value is the result; ${noTemplate}`),
  })
  .meta({ id: 'RevealedSecret', description: 'A secret with its value' })

const revealedRoll = abRollEntry
  .omit({ template: true })
  .extend({
    templateA: templateText.optional().describe(`Text of which valueA is the result; ${noTemplate}`),
    templateB: templateText.optional().describe(`Text of which valueB is the result; ${noTemplate}`),
  })
  .meta({ id: 'RevealedRoll', description: 'An A/B roll with its values' })

/** A variable with its values, in an answer. */
export const revealedEntry = z
  .discriminatedUnion('kind', [revealedSecret, revealedRoll])
  .describe('A variable with its values, in the form of a write apart from the text of a template')
  .meta({ id: 'RevealedEntry' })

/** Values of a variable, by the fields of a write. */
export const valueTexts = z
  .object({
    value: field.value.optional().describe('Value of a secret; absent for an ab_roll'),
    valueA: field.value.optional().describe('Value A of an ab_roll; absent for a secret'),
    valueB: field.value.optional().describe('Value B of an ab_roll; absent for a secret'),
    template: templateText.optional().describe(`Text of which value is the result; ${noTemplate}`),
    templateA: templateText.optional().describe(`Text of which valueA is the result; ${noTemplate}`),
    templateB: templateText.optional().describe(`Text of which valueB is the result; ${noTemplate}`),
  })
  .meta({ id: 'ValueTexts', description: 'Values of a variable, by the fields of a write' })

const kind = z.enum(kindNames).describe('Kind of the variable').meta({ id: 'Kind' })
const declaredType = field.declaredType
  .optional()
  .describe('Type that the value, a string on the wire, parses as; absent: string')

const rotating = z
  .literal(true)
  .optional()
  .describe('A secret that is being rotated: value A, the new one, replaces value B step by step; absent: it is not')

/** What can decide a roll. */
export const decidingSteps = ['pin', 'rule', 'chance'] as const

/** A variable in the answer of an evaluation. */
export const evaluated = z
  .object({
    name: field.name,
    kind,
    value: field.value,
    declaredType,
    decision: z.enum(['a', 'b']).optional().describe('Side that an ab_roll chose; absent for a secret'),
    label: z
      .string()
      .optional()
      .describe('Label of the side, for a request with explain; absent if the roll has no labels'),
    step: z
      .enum(decidingSteps)
      .optional()
      .describe('What decided an ab_roll, for a request with explain; absent without it'),
    rule: z.number().int().min(1).optional().describe('Number of the targeting rule, from 1; absent if none decided'),
    chance: field.chance
      .optional()
      .describe('Probability of value A that decided, of the rule or of the roll; absent if none decided'),
    rotating: rotating.describe(
      'A gradual rotation made the roll, so that both values are valid; absent: none did, or a request without explain',
    ),
  })
  .meta({ id: 'EvaluatedVariable', description: 'A variable in the answer of an evaluation' })

const pinCount = z.number().int().min(0)
const pinCounts = z
  .object({ a: pinCount.describe('Number of seeds that get A'), b: pinCount.describe('Number of seeds that get B') })
  .meta({ id: 'PinCounts', description: 'How many seeds are pinned to each side' })

/** A variable without its values. */
export const described = z
  .object({
    name: field.name,
    kind,
    declaredType,
    chance: field.chance.optional().describe('Probability of value A, from 0 to 1; absent for a secret'),
    exposure: field.exposure.optional().describe(`${field.exposure.description}; absent: secret`),
    description: field.description.optional().describe(`${field.description.description}; absent: none`),
    labels: field.labels.optional().describe(`${field.labels.description}; absent: none`),
    rules: field.rules.optional().describe(`${field.rules.description}; absent: none`),
    pinned: pinCounts.optional().describe('How many seeds are pinned to each side; absent: none'),
    template: z.literal(true).optional().describe('Its values are the results of a template; absent: they are not'),
    sources: z
      .array(field.name)
      .readonly()
      .optional()
      .describe('Variables that the template names, ordered by name; absent: not a template'),
    rotating,
  } satisfies Shape<AttributeName | Common | 'template' | 'sources' | 'rotating'>)
  .meta({ id: 'DescribedVariable', description: 'A variable without its values' })

const updatedAtMs = field.timeMs.describe('When it was last written, Unix time in milliseconds')

/** A variable in a list, without its values. */
export const listed = described
  .extend({
    createdAtMs: field.timeMs.describe('When it was created, Unix time in milliseconds'),
    updatedAtMs,
    lastEvaluatedDay: z
      .string()
      .optional()
      .describe(
        'Last UTC day on which a value was served: YYYY-MM-DD; absent: not since it was created, or not within 400 days',
      ),
  })
  .meta({ id: 'ListedVariable', description: 'A variable in a list, without its values' })

const digest = z
  .string()
  .describe('HMAC-SHA-256 of the value with a key of the organization, 43 characters of base64url')

const digests = z
  .object({
    value: digest.optional().describe('secret only; absent if the value does not open'),
    a: digest.optional().describe('ab_roll only; absent if the value does not open'),
    b: digest.optional().describe('ab_roll only; absent if the value does not open'),
    pins: digest.optional().describe('Of all pins together; absent if there are none, or if they do not open'),
    template: digest.optional().describe('Of the texts of a template; absent if it is not one, or if they do not open'),
  })
  .describe('Digest of each value')
  .meta({ id: 'Digests' })

/**
 * A variable with a digest of each of its values. For callers who may read the stage, equal digests within one organization mean equal
 * values. For others, that holds only within the variable. A value that does not open has no digest.
 */
const digested = described.extend({ digests })

/** What is known of a variable at a revision, apart from its name. */
export const state = digested
  .omit({ name: true })
  .meta({ id: 'VariableState', description: 'State of a variable at a revision, with digests in place of values' })

/** A variable in a list with digests of its values, and its last write. */
export const digestEntry = digested
  .extend({ updatedAtMs, updatedBy: field.author })
  .meta({ id: 'DigestEntry', description: 'A variable with digests of its values, and its last write' })

/** A variable, and what of it changes without its values. */
export type VariableUpdate = z.output<typeof update>
/** A variable in a write. */
export type WriteEntry = z.output<typeof writeEntry>
/** A variable with its values, in an answer. */
export type RevealedEntry = z.output<typeof revealedEntry>
/** A variable in the answer of an evaluation. */
export type EvaluatedVariable = z.output<typeof evaluated>
/** A variable without its values. */
export type DescribedVariable = z.output<typeof described>
/** A variable in a list, without its values. */
export type ListedVariable = z.output<typeof listed>
/** A variable with digests of its values. */
export type Digested = z.output<typeof digested>
/** A variable in a list with digests of its values, and its last write. */
export type DigestEntry = z.output<typeof digestEntry>
