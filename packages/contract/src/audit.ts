/** Actions and entries of the audit log (docs/audit.md). */
import { z } from 'zod'
import { protection } from './endpoints/endpoint.ts'
import * as field from './fields.ts'

/** What an action changed. Each action has only some of these, before and after. */
const state = {
  chance: field.chance,
  exposure: field.exposure,
  name: z.string().describe('Name for people'),
  email: z.string().describe('Email address with which the person signs in'),
  isArchived: z.boolean().describe('Whether the project or stage is in the archive'),
  isProduction: z.boolean().describe('Whether the stage is marked as production'),
  isProtected: z.boolean().describe('Whether the stage is protected'),
  protection,
  stageSlugs: z.array(z.string()).describe('Slugs of the stages in their order'),
  createsOnWrite: z.boolean().describe('Whether a write creates the project and the stage that it names'),
  defaultRole: field.defaultRole,
  isCompanyOnly: z.boolean().describe('Whether only a sign-in at a company opens the organization'),
  breakGlass: z.array(z.string()).describe('Ids of the people who can sign in otherwise'),
  needsSecondFactor: z.boolean().describe('Whether only a sign-in with a second factor opens the organization'),
  role: z.string().describe('Name of the role'),
  expiresAtMs: field.timeMs.describe('When the role ends, Unix time in milliseconds; absent: never'),
  verbs: field.verbs,
  issuer: field.issuer,
  audience: field.audience,
  keys: z.string().describe('First 16 hexadecimal digits of the SHA-256 of pasted keys; fetched: those of the issuer'),
  claims: z.array(field.claim).describe('Claims that a token must have'),
  forks: z.boolean().describe('Whether runs for proposed changes get tokens'),
  history: z.boolean().describe('Whether it may read the history'),
  lifetimeSeconds: z.number().int().describe('Lifetime of the access tokens, in seconds'),
}
type State = typeof state

/** Returns the facts of an action that changes some fields. */
const changing = <Name extends keyof State>(...names: Name[]) => {
  const shape = Object.fromEntries(names.map((name) => [name, state[name].optional()])) as {
    [Each in Name]: z.ZodOptional<State[Each]>
  }
  return { before: z.object(shape).optional(), after: z.object(shape).optional() }
}

const text = (description: string) => z.string().describe(description)
const none = z.object({})
const name = text('Name of the service token, client key, trust, webhook or group')
const parts = z
  .array(z.string())
  .optional()
  .describe('What of the variables it is about, such as rules and pins; absent: the values')
const method = text('How the person signs in or tried to, such as password')
const session = z.object({ sessionId: text('Id of the session') })
const login = z.object({ loginId: text('Id of the login of a command-line client') })
const change = z.object({ changeId: text('Id of the change') })
const step = change.extend({
  step: z.number().int().describe('Number of the step of the ramp, from 1'),
  steps: z.number().int().describe('Number of all its steps'),
})
const token = z.object({ tokenId: text('Id of the service token'), name })
const trust = z.object({ trustId: text('Id of the trust'), name })
const trustState = changing(
  'name',
  'role',
  'issuer',
  'audience',
  'keys',
  'claims',
  'forks',
  'history',
  'lifetimeSeconds',
)
const key = z.object({ keyId: text('Id of the client key'), name })
const hook = z.object({ hookId: text('Id of the webhook'), name })
const hookTarget = hook.extend({ target: text('Where it sends: scheme, host and port') })
const group = z.object({ groupId: text('Id of the group') })
const principal = z.object({ principal: field.principal })
const user = z.object({ userId: text('Id of the user at the identity provider') })
const member = user.extend({ role: state.role })
const invitation = z.object({ email: text('Email of the person who is invited'), role: state.role })
const passkey = z.object({ passkeyId: text('Id of the passkey') })
const organization = z.object({ idpOrgId: text('Id of the organization at the identity provider') })

const actions = {
  'variable.create': none,
  'variable.update': z.object({ parts }),
  'variable.delete': none,
  /** Variables became visible to more readers; `before` is absent for new ones. */
  'variable.expose': z.object(changing('exposure')),
  /** Any of the three above, in entries of older versions. */
  write: none,
  chance: z.object(changing('chance')),
  copy: none,
  restore: z.object({ restoredRevision: field.revision.describe('Revision whose state is back') }),
  'change.propose': change.extend({
    isPlanned: z.literal(true).optional().describe('It has a time and needs no approval; absent: no'),
  }),
  'change.edit': change.extend({
    isRebase: z.literal(true).optional().describe('It was only based on the present state; absent: no'),
  }),
  'change.reschedule': change,
  'change.approve': change,
  'change.reject': change,
  'change.apply': change.extend({
    proposedBy: field.author,
    approvedBy: z.array(z.string()).describe('Ids of the people who approved it'),
    bypassReason: z
      .string()
      .optional()
      .describe('Why it was applied without the approvals or in a freeze; absent: it was not'),
  }),
  'change.step': step,
  'change.skip': step,
  'change.pause': change,
  'change.resume': change,
  'change.abort': change,
  'change.fail': change,
  'change.withdraw': change,
  /** `changeId` for proposed values. */
  reveal: change.partial().extend({ parts }),
  'token.create': token,
  'token.rotate': token,
  'token.revoke': token,
  /** The token ends in seven days. */
  'token.expiring': token.extend({
    expiresAtMs: field.timeMs.describe('When the token ends, Unix time in milliseconds'),
  }),
  /** The variable has had its value for as long as its declaration allows. */
  'secret.due': z.object({
    dueAtMs: field.timeMs.describe('Since when the variable is due for another value, Unix time in milliseconds'),
    owner: field.owner.optional().describe('Person or group that is responsible; absent: the declaration names none'),
  }),
  /** What the roll has served since it has this chance is not what chance alone explains. */
  'roll.misfit': z.object({
    chance: field.chance,
    chanceSinceMs: field.timeMs.describe('Since when the roll has its chance, Unix time in milliseconds'),
    servedA: z.number().int().describe('How many times chance gave value A since then'),
    servedB: z.number().int().describe('How many times chance gave value B since then'),
  }),
  'trust.create': trust.extend(trustState),
  'trust.update': trust.extend(trustState),
  'trust.delete': trust.extend(trustState),
  'trust.exchange': session.extend({
    evidence: z.array(field.claim).describe('Claims of the token that identify the workload, shortened'),
  }),
  'client-key.create': key.extend({ origins: z.array(z.string()).describe('Origins whose pages may use it; *: all') }),
  'client-key.revoke': key,
  'hook.create': hookTarget,
  'hook.update': hookTarget,
  'hook.rotate': hook,
  'hook.off': hook,
  'hook.delete': hook,
  'device.approve': login,
  'device.deny': login,
  'device.exchange': session,
  'session.refresh': session,
  'session.confirm': session,
  'session.revoke': session,
  logout: session,
  setup: session.extend(user.shape),
  'project.create': none,
  'project.update': z.object(changing('name', 'isArchived')),
  'project.delete': none,
  'stage.create': none,
  'stage.update': z.object(changing('name', 'isArchived', 'isProduction')),
  'declaration.set': none,
  'declaration.delete': none,
  /** Without facts if there are more than 100. */
  'stage.order': z.object(changing('stageSlugs')),
  'stage.protect': z.object(changing('isProtected')),
  /** What a protected stage requires of changes. */
  'stage.rules': z.object(changing('protection')),
  'stage.delete': none,
  'organization.create': organization.partial(),
  'organization.update': z.object(
    changing('name', 'createsOnWrite', 'defaultRole', 'isCompanyOnly', 'breakGlass', 'needsSecondFactor'),
  ),
  'organization.delete': organization,
  export: none,
  'access.grant': principal.extend(changing('role', 'expiresAtMs')),
  'access.revoke': principal.extend(changing('role', 'expiresAtMs')),
  'group.create': group.extend({ name }),
  'group.update': group.extend({ name }),
  'group.delete': group.extend({ name }),
  'group.join': group.extend(principal.shape),
  'group.leave': group.extend(principal.shape),
  'role.set': z.object({ role: state.role, ...changing('verbs') }),
  'role.delete': z.object({ role: state.role, ...changing('verbs') }),
  'member.add': member,
  'member.role': member,
  'member.remove': user,
  'invitation.create': invitation,
  'invitation.accept': invitation,
  'invitation.reject': invitation,
  'invitation.cancel': invitation,
  'sign-in': z.object({ method }),
  'sign-in.failed': z.object({ method }),
  'sign-out': none,
  'email.change': user.extend(changing('email')),
  'password.change': none,
  'password.reset': none,
  'password.link': user,
  'passkey.add': passkey,
  'passkey.remove': passkey,
  'second-factor.add': none,
  'second-factor.codes': none,
  'second-factor.remove': none,
  'sign-in-method.add': z.object({ method }),
  'sign-in-method.remove': z.object({ method }),
  'signing-keys.revoke': none,
  refusal: z.object({ endpoint: text('Name of the endpoint'), code: text('Code of the error') }),
  'key.rotate': none,
  'key.rewrap': z.object({ keyProvider: text('Name of the service that wraps the data keys') }),
  'backup.restore': z.object({
    madeAtMs: field.timeMs.describe('When the backup was made, Unix time in milliseconds'),
  }),
} as const satisfies Record<string, z.ZodObject>

/**
 * The actions of the audit log, each with what an entry says about it besides its place and its variables: never a value.
 *
 * @example auditFacts['token.create'].parse(entry.facts) // { tokenId: 'ses_…', name: 'CI' }
 */
export const auditFacts: typeof actions = actions

const auditActions = Object.keys(auditFacts) as [AuditAction, ...AuditAction[]]

/** An action of the audit log. */
export const auditAction = z.enum(auditActions).meta({ id: 'AuditAction', description: 'Action of the audit log' })
/** An action of the audit log. */
export type AuditAction = keyof typeof auditFacts
/** What an entry says about an action. */
export type AuditFacts<Action extends AuditAction = AuditAction> = z.output<(typeof auditFacts)[Action]>

/** Returns fields that can be absent, with a description that says so. */
function optional<Fields extends Readonly<Record<string, z.ZodType>>>(fields: Fields, absent: string) {
  const entries = Object.entries(fields).map(([each, type]) => {
    const description = type.description ?? ''
    return [
      each,
      type.optional().describe(description.includes('absent') ? description : `${description}; absent: ${absent}`),
    ]
  })
  return Object.fromEntries(entries) as { [Field in keyof Fields]: z.ZodOptional<Fields[Field]> }
}

const auditState = z
  .object(optional(state, 'unchanged'))
  .meta({ id: 'AuditState', description: 'What an action changed, before or after it' })
type FactsShape = (typeof auditFacts)[AuditAction]['shape']
type KeyOf<Shape> = Shape extends unknown ? keyof Shape : never
type EveryFact = { [Fact in KeyOf<FactsShape>]: Extract<FactsShape, Record<Fact, z.ZodType>>[Fact] }
const everyFact = Object.assign({}, ...Object.values(auditFacts).map(({ shape }) => shape)) as EveryFact
/** The facts of all actions together, as answers have them. */
const anyFacts = z
  .object({
    ...optional(everyFact, 'no fact of the action'),
    before: auditState.optional().describe('What it was before; absent: new, or not known'),
    after: auditState.optional().describe('What it is now; absent: deleted, or not known'),
  })
  .meta({ id: 'AuditFacts', description: 'What an entry says about its action; each action has only some of these' })

/** An entry of the audit log. */
export const auditEntry = z
  .object({
    seq: z.number().int().describe('Number of the entry within the organization: 1, 2, 3 … without gaps'),
    atMs: field.timeMs,
    action: auditAction.describe('What was done'),
    actor: z
      .string()
      .optional()
      .describe(
        'Id of the user at the identity provider (for system: the user whose session or account it was), id of the service token, the client key or the trust, or operator. Absent, like all fields that follow, if the details were deleted after their retention period',
      ),
    how: z
      .enum(['provider', 'session', 'service', 'operator', 'system'])
      .optional()
      .describe(
        'Kind of credential; service: a service token or a token of a trust; system: the service acted by itself; absent if the details were deleted',
      ),
    client: z
      .string()
      .optional()
      .describe(
        'Client as a text for people, such as: cli session laptop; for system: the reason; absent if the details were deleted',
      ),
    projectSlug: field.projectSlug.optional().describe('Project of the action; absent if it has none'),
    stageSlug: field.stageSlug.optional().describe('Stage of the action; absent if it has none'),
    names: z
      .array(field.name)
      .optional()
      .describe('Names of the variables; absent if there are none, or more than 100'),
    nameCount: z
      .number()
      .int()
      .optional()
      .describe(
        'Number of variables; for a refusal or failed sign-in: number of occurrences since the last entry; absent otherwise',
      ),
    revision: field.revision
      .optional()
      .describe('Revision of the stage that the action made or showed; absent if there is none'),
    facts: anyFacts
      .optional()
      .describe('What it says about the action; absent: nothing, or an entry of an older version'),
    subject: z
      .string()
      .optional()
      .describe('What an entry of an older version says about the action, as a text; absent otherwise'),
    requestId: z.string().optional().describe('Id of the request; absent if there was none'),
  })
  .meta({ id: 'AuditEntry', description: 'An entry of the audit log' })

/** An entry of the audit log. */
export type AuditEntry = z.output<typeof auditEntry>
