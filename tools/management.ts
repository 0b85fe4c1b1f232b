/** Generates the SDK's management of an organization from the rows of the contract that name a method: `npm run generate`. */
import { endpoints, type Endpoint } from '@rollkey/contract'
import { z } from 'zod'

/** What a group of methods is for, and an example of it. */
const groups: Readonly<Record<string, { readonly about: string; readonly example: string }>> = {
  organization: {
    about: 'The settings of the organization.',
    example: `const { createsOnWrite } = await rollkey.manage.organization.show()
await rollkey.manage.organization.update({ createsOnWrite: false })`,
  },
  access: {
    about:
      'Who may do what: roles that are granted on the organization, its projects and their stages (docs/access.md).',
    example: `const place = { projectSlug: 'shop', stageSlug: 'prod' }
const principal = { kind: 'email', id: 'ada@example.com' } as const
await rollkey.manage.access.grant({ ...place, principal, role: 'reader' })
const { sources } = await rollkey.manage.access.explain(place)`,
  },
  groups: {
    about: 'Groups of people, to which roles are granted together.',
    example: `const { id } = await rollkey.manage.groups.create({ name: 'On call' })
await rollkey.manage.groups.change({ id, add: [{ kind: 'email', id: 'ada@example.com' }] })
const principal = { kind: 'group', id } as const
await rollkey.manage.access.grant({ principal, role: 'developer', projectSlug: 'shop' })`,
  },
  roles: {
    about: 'Roles: the built-in ones and those that the organization adds.',
    example: `await rollkey.manage.roles.set({ name: 'auditor', verbs: ['list', 'manage'] })
const isBuiltIn = (await rollkey.manage.roles.list()).roles.map((role) => role.isBuiltIn)`,
  },
  changes: {
    about:
      "Proposed changes of the client's stage: what someone proposes, others review, and a person, a machine or the service applies (docs/change.md).",
    example: `const { id, digest } = await rollkey.manage.changes.propose({
  reason: 'Half of all users',
  updates: [{ name: 'NEW_CHECKOUT', chance: 0.5 }],
})
// Another person:
await rollkey.manage.changes.review({ id, digest, verdict: 'approve' })
const { revision } = await rollkey.manage.changes.apply({ id })`,
  },
  declarations: {
    about:
      "What the client's project expects of its variables, and what of a stage contradicts it (docs/declarations.md).",
    example: `const { manage } = rollkey.at({ project: 'shop', stage: 'prod' })
await manage.declarations.set({
  declarations: [{ name: 'PORT', declaredType: 'int64', constraint: { format: 'port' }, required: 'all' }],
})
const { problems } = await manage.declarations.check()
for (const { name, expected } of problems) console.warn(\`\${name} \${expected}\`)`,
  },
  hooks: {
    about: 'Webhooks, which tell other programs what happened.',
    example:
      "const { secret } = await rollkey.manage.hooks.create({ name: 'Deploys', url: 'https://ci.example.com/rollkey' })",
  },
  keys: {
    about:
      'Client keys, with which web pages and mobile apps evaluate the variables of a stage that are exposed to them (docs/client-keys.md).',
    example: `const { key } = await rollkey.manage.keys.create({ name: 'Shop', origins: ['https://shop.example.com'] })`,
  },
  trusts: {
    about:
      'Trusts: tokens of which other services are exchanged for access tokens, so that CI and pods need no stored token (docs/trusts.md).',
    example: `const { id } = await rollkey.manage.trusts.create({
  name: 'Deployment of the shop',
  issuer: 'https://token.actions.githubusercontent.com',
  claims: [
    { name: 'repository_id', value: '424242' },
    { name: 'environment', value: 'production' },
  ],
  projectSlug: 'shop',
  stageSlug: 'prod',
  role: 'reader',
})`,
  },
  sessions: {
    about: 'Sessions of command-line clients.',
    example: `const { sessions } = await rollkey.manage.sessions.list()
const others = sessions.filter(({ isCurrent }) => !isCurrent)
for (const { id } of others) await rollkey.manage.sessions.revoke({ id })`,
  },
  project: {
    about: "The client's project.",
    example: `const { manage } = rollkey.at({ project: 'shop' })
await manage.project.create({ name: 'Shop', stages: [{ stageSlug: 'dev' }, { stageSlug: 'prod' }] })
await manage.project.orderStages({ stageSlugs: ['prod', 'dev'] })
await manage.project.update({ archived: true })`,
  },
  stage: {
    about: "The client's stage.",
    example: `const { manage } = rollkey.at({ stage: 'qa' })
await manage.stage.create({ name: 'Quality' })
await manage.stage.update({ archived: true })`,
  },
}

/** Examples of the methods without a group. */
const examples: Readonly<Record<string, string>> = {
  audit: `const { entries } = await rollkey.manage.audit({ action: 'reveal', limit: 100 })`,
  reveal: `const { variables } = await rollkey.manage.reveal({ names: ['DATABASE_URL'] })
const texts = variables.map((each) => (each.kind === 'secret' ? each.template : each.templateA))`,
  search: `const { variables, more } = await rollkey.manage.search({ query: 'api_' })`,
  recentHistory: `const { revisions } = await rollkey.manage.recentHistory({ limit: 10 })
const lines = revisions.map(({ stageSlug, revision, changes }) => \`\${stageSlug} \${revision}: \${changes[0]?.name}\`)`,
  attention: `const { missing } = await rollkey.manage.attention()
for (const { projectSlug, stageSlug, count } of missing) console.warn(\`\${projectSlug}/\${stageSlug} lacks \${count}\`)`,
  rolls: `const { rolls } = await rollkey.manage.rolls()
const inProgress = rolls.filter(({ chance }) => chance > 0 && chance < 1)`,
  usage: `const { months, storage, plan } = await rollkey.manage.usage({ months: 1 })
const isNearLimit = storage.bytes > 0.9 * (plan.storageBytes ?? Infinity)`,
  usageCallers: `const { callers } = await rollkey.manage.usageCallers({ from: '2027-01-01', to: '2027-01-31' })`,
}

function comment(paragraphs: readonly (string | undefined)[]): string {
  const lines = paragraphs
    .filter((each) => each !== undefined)
    .join('\n')
    .split('\n')
  return ['/**', ...lines.map((line) => ` * ${line}`.trimEnd()), ' */'].join('\n')
}

const callers: Readonly<Record<Endpoint['auth'], string>> = {
  caller: 'people and machines',
  person: 'people',
  owner: 'owners',
  provider: 'people with a token of the identity provider',
  session: 'sessions',
  none: 'anyone',
}

/** What a method fills in: the slugs that its request needs. */
type Place = 'organization' | 'project' | 'stage'

const typeAt = { organization: 'InOrganization', project: 'InProject', stage: 'InStage' } as const satisfies Record<
  Place,
  string
>

/** Returns the names of the fields of a request, and of those that it needs. */
function fieldsOf({ request }: Endpoint): {
  readonly required: readonly string[]
  readonly optional: readonly string[]
} {
  const { shape } = request as z.ZodObject
  const isOptional = (name: string): boolean =>
    shape[name] instanceof z.ZodOptional || shape[name] instanceof z.ZodDefault
  const names = Object.keys(shape)
  return { required: names.filter((name) => !isOptional(name)), optional: names.filter(isOptional) }
}

function placeOf(endpoint: Endpoint): Place {
  const { required } = fieldsOf(endpoint)
  if (required.includes('stageSlug')) return 'stage'
  return required.includes('projectSlug') ? 'project' : 'organization'
}

/** Returns the parameter of a method: the fields that the client does not fill in. */
function parameterOf(operation: string, endpoint: Endpoint): string {
  const { required, optional } = fieldsOf(endpoint)
  const isNeeded = required.some((field) => !/^(?:org|project|stage)Slug$/.test(field))
  if (!isNeeded && optional.length === 0) return ''
  return `request${isNeeded ? '' : '?'}: ${typeAt[placeOf(endpoint)]}<'${operation}'>`
}

function method(operation: string, name: string, endpoint: Endpoint): string {
  const { summary, auth, verb, errors, confirmation } = endpoint
  const codes = [...new Set([...errors, ...(confirmation ? ['CONFIRMATION_REQUIRED'] : [])])].map(
    (code) => `\`${code}\``,
  )
  const example = examples[operation]
  return `${comment([
    `${summary}.${verb === 'none' ? '' : ` Needs \`${verb}\`; for ${callers[auth]}.`}`,
    '',
    `@throws {RollkeyError} ${codes.length > 0 ? `${codes.join(', ')}, or the` : 'The'} errors of every call.`,
    ...(example === undefined ? [] : ['@example', example]),
  ])}
${name}(${parameterOf(operation, endpoint)}): Promise<Answer<'${operation}'>>`
}

const managed = Object.entries<Endpoint>(endpoints).flatMap(([operation, endpoint]) =>
  endpoint.manage === undefined ? [] : [{ operation, endpoint, path: endpoint.manage.split('.') }],
)

/** Returns the source text of `packages/sdk/src/management.ts`, before it is formatted. */
export function management(): string {
  const byGroup = Map.groupBy(managed, ({ path }) => (path.length === 1 ? '' : (path[0] ?? '')))
  const parts = [...byGroup].map(([group, methods]) => {
    const texts = methods
      .map(({ operation, endpoint, path }) => method(operation, path.at(-1) ?? '', endpoint))
      .join('\n')
    if (group === '') return texts
    const described = groups[group]
    if (!described) throw new Error(`tools/management.ts does not say what manage.${group} is for: add it to groups`)
    return `${comment([described.about, '', '@example', described.example])}\nreadonly ${group}: {\n${texts}\n}`
  })
  const calls = managed.map(
    ({ operation, endpoint, path }) =>
      `'${path.join('.')}': { operation: '${operation}', at: '${placeOf(endpoint)}' },`,
  )
  return `/** Management of the organization, which tools and people need rather than programs, generated from packages/contract by \`npm run generate\`. */
import type { Answer, OperationName, Request } from './wire.ts'

/** The fields of a request to the client's organization. */
type InOrganization<Name extends OperationName> = Omit<Request<Name>, 'orgSlug'>
/** The fields of a request to the client's project. */
type InProject<Name extends OperationName> = Omit<Request<Name>, 'orgSlug' | 'projectSlug'>
/** The fields of a request to the client's stage. */
type InStage<Name extends OperationName> = Omit<Request<Name>, 'orgSlug' | 'projectSlug' | 'stageSlug'>

/** Management of the organization of a client. Every method can reject with the errors of every call, see \`Client\`. */
export interface Management {
${parts.join('\n')}
}

/** The endpoint of each method, and the slugs that the client adds to its request. */
export const managed = {
${calls.join('\n')}
} as const satisfies Record<string, { readonly operation: OperationName; readonly at: 'organization' | 'project' | 'stage' }>
`
}
