/** The fields of bodies and queries, each declared once (docs/api.md, "Variables"). */
import { z } from 'zod'
import { builtInRoles, defaultRoles, machineRoles, verbs as allVerbs } from './rules/access.ts'
import { declaredTypes } from './rules/declared-types.ts'
import { problemOfRequired, type Required } from './rules/declarations.ts'
import { problemOfPins, type Pins } from './rules/decision.ts'
import { problemOfFreezeWindows, type FreezeWindow } from './rules/freeze-windows.ts'
import { hasHiddenCharacter } from './rules/hidden-characters.ts'
import { exposures } from './rules/kinds.ts'
import { isOrigin } from './rules/origins.ts'
import { limits } from './rules/limits.ts'
import { problemOfRules, type Context, type Problem, type TargetingRule } from './rules/targeting.ts'

const encoder = new TextEncoder()

/** Checks the length in UTF-8 bytes. Encodes only a text whose length leaves the answer open. */
function fitsBytes(text: string, max: number): boolean {
  if (text.length * 3 <= max) return true
  return text.length <= max && encoder.encode(text).length <= max
}

/** C0 controls, DEL and C1 controls. */
// oxlint-disable-next-line no-control-regex -- matches control characters
const controlCharacter = /[\u0000-\u001f\u007f-\u009f]/

/** Any text that UTF-8 can encode. A lone surrogate would silently become U+FFFD. */
const text = z.string().refine((value) => value.isWellFormed(), 'must be well-formed Unicode')

const bytes = (max: number) => text.refine((value) => fitsBytes(value, max), `must be at most ${max} bytes of UTF-8`)

/** Checks the length in Unicode code points. */
function fitsCharacters(value: string, max: number): boolean {
  if (value.length <= max) return true
  return value.length <= 2 * max && Array.from(value).length <= max
}

const characters = (max: number) =>
  text.refine((value) => fitsCharacters(value, max), `must be at most ${max} characters`)

const label = (max: number) =>
  characters(max).refine((value) => !controlCharacter.test(value), 'must have no control characters')

/** A text of one or more lines. */
const lines = (max: number) =>
  characters(max).refine(
    (value) => !controlCharacter.test(value.replace(/[\t\n\r]/g, '')),
    'must have no control characters except tabs and line breaks',
  )

/** A name that people recognize by sight, without characters that make it look like another one. */
const shownName = (max: number) =>
  label(max).refine(
    (value) => !hasHiddenCharacter(value),
    'must have no invisible characters and none that change the writing direction',
  )

/** Display name of a person, an organization, a project, a stage or a passkey. */
export const displayName = shownName(limits.displayNameCharacters)
  .regex(/\S/, 'must not be empty')
  .describe('Name for people')

export const orgSlug = text.describe('Slug of the organization of the token')
const slug = z
  .string()
  .regex(
    /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/,
    'must be 1 to 64 letters, digits, ".", "_" or "-", starting with a letter or digit',
  )
export const projectSlug = slug.describe('Slug of the project')
export const stageSlug = slug.describe('Slug of the stage, an environment of the project')

export const name = label(limits.nameCharacters)
  .refine((value) => value.length > 0, 'must not be empty')
  .describe('Name of the variable, unique within the stage, case sensitive')

/** Returns whether no text occurs twice. */
export function areDistinct(texts: readonly string[]): boolean {
  return new Set(texts).size === texts.length
}

/** A list of 1 to `max` names of variables, without duplicates. */
export const names = (max: number) =>
  z.array(name).min(1).max(max).refine(areDistinct, 'must name a variable only once').describe('Names of variables')

export const declaredType = z
  .enum(declaredTypes)
  .describe('Type that the value, a string on the wire, must parse as')
  .meta({ id: 'DeclaredType' })
export const value = bytes(limits.valueBytes).describe('Plaintext value, at most 65,536 bytes of UTF-8')
export const description = lines(limits.descriptionCharacters).describe(
  'What the variable is for, at most 1,000 characters',
)
export const constraintValue = characters(limits.enumCharacters).describe('A value that is not secret')
export const owner = shownName(limits.ownerCharacters)
  .regex(/\S/, 'must not be empty')
  .describe('Person or group that is responsible')
export const example = characters(limits.exampleCharacters).describe(
  'A value for people without access, which is not secret',
)
export const exposure = z
  .enum(exposures)
  .describe(
    'Who sees the value without a reveal. secret: no one; plain: people who may read it; client: also client programs',
  )
  .meta({ id: 'Exposure' })
export const chance = z.number().min(0).max(1).describe('Probability of value A, from 0 to 1')
export const seed = bytes(limits.seedBytes).describe('Seed of a deterministic roll, such as a user id; absent: empty')
export const key = bytes(limits.seedBytes).describe('Namespace of the seed, such as an experiment; absent: empty')
const sideLabel = shownName(limits.labelCharacters).regex(/\S/, 'must not be empty')
export const labels = z
  .object({ a: sideLabel.describe('Name of side A'), b: sideLabel.describe('Name of side B') })
  .refine(({ a, b }) => a !== b, { message: 'must differ from the label of A', path: ['b'] })
  .describe('Names of the two sides, each at most 64 characters')
  .meta({ id: 'Labels' })

/** A value that a function checks as a whole, because its errors say more than those of a schema. `shape` documents it. */
const checked = <Input>(problemOf: (given: unknown) => Problem | undefined, shape: z.ZodType) => {
  const { $schema: _, ...schema } = z.toJSONSchema(shape, { io: 'input' }) as Record<string, unknown>
  return z
    .custom<Input>()
    .superRefine((given, refinement) => {
      const problem = problemOf(given)
      if (problem) refinement.addIssue({ code: 'custom', path: [...problem.path], message: problem.message })
    })
    .meta(schema)
}

const seeds = z.array(z.string()).optional()
export const pins = checked<Pins>(
  problemOfPins,
  z
    .object({
      a: seeds.describe('Seeds that get A; absent: none'),
      b: seeds.describe('Seeds that get B; absent: none'),
    })
    .meta({ id: 'Pins' }),
).describe('Seeds that always get one side, at most 1,000 a side')

export const required = checked<Required>(
  problemOfRequired,
  z.union([z.enum(['all', 'production']), z.array(z.string())]).meta({ id: 'Required' }),
).describe('all: in every stage; production: in those marked as production; a list: in the stages with these slugs')

const scalar = z.union([z.string(), z.number(), z.boolean()])
const texts = z.union([z.string(), z.array(z.string())])
const condition = z
  .object({
    in: z.array(scalar).optional().describe('It is one of these; absent: any'),
    notIn: z.array(scalar).optional().describe('It is none of these; absent: any'),
    equals: scalar.optional().describe('It is this; absent: any'),
    startsWith: texts.optional().describe('It begins with this, or with one of these; absent: any'),
    endsWith: texts.optional().describe('It ends with this, or with one of these; absent: any'),
    greaterThan: z.number().optional().describe('It is above this; absent: any'),
    lessThan: z.number().optional().describe('It is below this; absent: any'),
    semver: z.string().optional().describe('It is a version in this range; absent: any'),
    before: z.string().optional().describe('It is before this date or time, RFC 3339; absent: any'),
    after: z.string().optional().describe('It is after this date or time, RFC 3339; absent: any'),
  })
  .meta({ id: 'Condition' })
const rule = z
  .object({
    when: z.record(z.string(), condition).describe('Conditions by attribute of the context; all must be fulfilled'),
    then: z.union([z.enum(['a', 'b']), z.number()]).describe('The side, or the probability of A, from 0 to 1'),
  })
  .meta({ id: 'TargetingRule' })
export const rules = checked<readonly TargetingRule[]>(problemOfRules, z.array(rule)).describe(
  'Targeting rules, of which the first match decides; only requests with a context can match',
)
export const context = z
  .custom<Context>(
    isContext,
    'is not an object of attributes (expected texts, numbers and booleans by name): send one, or leave it out',
  )
  .describe('Attributes of the user for targeting rules, which are not stored; absent: no rule matches')
  .meta({ id: 'Context', type: 'object', additionalProperties: {} })

/** Checks what a rule can read: other values of attributes count as missing. */
function isContext(given: unknown): boolean {
  if (typeof given !== 'object' || given === null || Array.isArray(given)) return false
  return Object.entries(given).every(
    ([attribute, each]) => attribute.isWellFormed() && (typeof each !== 'string' || each.isWellFormed()),
  )
}

export const clientName = shownName(limits.clientNameCharacters).describe('Name shown in the browser during approval')
export const tokenName = shownName(limits.tokenNameCharacters)
  .regex(/\S/, 'must not be empty')
  .describe('What the token is for')
export const sessionId = z
  .string()
  .regex(/^[A-Za-z0-9_-]{1,64}$/, 'must be the id of a session')
  .describe('Id of the session')
export const tokenId = z
  .string()
  .regex(/^[A-Za-z0-9_-]{1,64}$/, 'must be the id of a service token')
  .describe('Id of the service token')

export const trustId = z
  .string()
  .regex(/^[A-Za-z0-9_-]{1,64}$/, 'must be the id of a trust')
  .describe('Id of the trust')
export const trustName = shownName(limits.tokenNameCharacters)
  .regex(/\S/, 'must not be empty')
  .describe('What the trust is for')
export const hookId = z
  .string()
  .regex(/^[A-Za-z0-9_-]{1,64}$/, 'must be the id of a webhook')
  .describe('Id of the webhook')
export const hookName = shownName(limits.tokenNameCharacters)
  .regex(/\S/, 'must not be empty')
  .describe('What the webhook is for')
export const freezes = checked<readonly FreezeWindow[]>(
  problemOfFreezeWindows,
  z.array(
    z
      .object({
        zone: z.string().describe('Named time zone, such as Europe/Berlin'),
        from: z.string().describe('Start, every week (fri 17:00) or once (2026-12-20T17:00)'),
        to: z.string().describe('End, of the same form as the start'),
      })
      .meta({ id: 'FreezeWindow' }),
  ),
).describe('Times at which the stage does not change, at most 20')
const nonEmpty = (max: number) => label(max).refine((given) => given.length > 0, 'must not be empty')
export const issuer = nonEmpty(limits.issuerCharacters).describe('Issuer of the tokens, exactly as their claim iss')
export const audience = nonEmpty(limits.issuerCharacters).describe('Audience that the tokens must name')
export const claimName = nonEmpty(limits.claimNameCharacters).describe(
  'Name of the claim, or the path of a nested one with dots',
)
const claimValue = nonEmpty(limits.claimValueCharacters).describe(
  'Text that the claim must equal; with * at its end: must begin with. A boolean or number compares by its JSON text; a list must contain it',
)
export const claim = z.object({ name: claimName, value: claimValue }).describe('A claim').meta({ id: 'Claim' })
export const claims = z.array(claim).min(1).max(limits.trustClaims).describe('Claims that a token must have, 1 to 20')

export const keyId = z
  .string()
  .regex(/^[A-Za-z0-9_-]{1,64}$/, 'must be the id of a client key')
  .describe('Id of the client key')
export const keyName = shownName(limits.tokenNameCharacters)
  .regex(/\S/, 'must not be empty')
  .describe('What the client key is for')
export const origin = z
  .string()
  .max(limits.originCharacters)
  .refine((given) => given === '*' || isOrigin(given), 'must be *, or an origin such as https://app.example.com')
  .describe('Origin of web pages (RFC 6454), as browsers send it; * for all')

/** Roles of members, the least powerful first. */
export const roles = ['member', 'admin', 'owner'] as const
/** A role. */
export const role = z.enum(roles).describe('Role of the member in the organization')
/** A role of a service token. */
export const machineRole = z.enum(machineRoles).meta({ id: 'MachineRole' })
export const defaultRole = z.enum(defaultRoles).describe('What every member may do in the whole organization')
export const verb = z.enum(allVerbs).meta({ id: 'Verb' })
export const verbs = z.array(verb).describe('What is allowed: list, read, write, approve, manage, in this order')
const roleName = z
  .string()
  .regex(/^[a-z][a-z0-9-]{0,62}$/, 'must be 1 to 63 lower-case letters, digits or "-", starting with a letter')
export const accessRole = roleName.describe('Role: a built-in one, or one that the organization has added')
export const customRole = roleName
  .refine(
    (custom) => !Object.hasOwn(builtInRoles, custom) && custom !== 'none',
    'must not be the name of a built-in role',
  )
  .describe('Name of a role that the organization has added')
export const principalId = label(limits.principalCharacters)
  .refine((id) => id.length > 0, 'must not be empty')
  .describe('Id of the user at the identity provider, of the group, of the service token or of the trust; or the email')
export const principal = z
  .object({
    kind: z
      .enum(['user', 'group', 'token', 'trust', 'email'])
      .describe('Kind of the principal; email: a person who is invited and has not joined yet'),
    id: principalId,
  })
  .describe('A person, a group, a service token or a trust')
  .meta({ id: 'Principal' })
export const groupId = z
  .string()
  .regex(/^[A-Za-z0-9_-]{1,64}$/, 'must be the id of a group')
  .describe('Id of the group')
export const groupName = shownName(limits.displayNameCharacters)
  .regex(/\S/, 'must not be empty')
  .describe('Name of the group, unique within the organization')
export const idpGroup = label(limits.principalCharacters)
  .refine((id) => id.length > 0, 'must not be empty')
  .describe(
    "Name or id of the group at the identity provider, whose people are the members; at a company's provider with its name in front, like keycloak:/ops",
  )
export const changeId = z
  .string()
  .regex(/^[A-Za-z0-9_-]{1,64}$/, 'must be the id of a change')
  .describe('Id of the change')
export const reason = lines(limits.changeReasonCharacters)
  .refine((given) => /\S/.test(given), 'must not be empty')
  .describe('Why, at most 1,000 characters')
export const author = z
  .string()
  .describe('Id of the user at the identity provider, of the service token or of the trust')
export const timeMs = z.number().int().describe('Unix time in milliseconds')
export const revision = z.number().int().min(0).describe('Revision of the stage; 0: the stage does not exist')

/** Format of user codes. The service issues them from a smaller alphabet without look-alikes. */
export const userCodeFormat = /^[A-Z0-9]{8}$/
/** The characters of the user codes that the service issues: without 0, 1, I, L and O. */
export const userCodeAlphabet = 'ABCDEFGHJKMNPQRSTUVWXYZ23456789'
