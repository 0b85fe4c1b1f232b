import { text } from 'node:stream/consumers'
import { type MachineRole, machineRoles } from '@rollkey/contract/rules'
import type { Request, TrustComparison } from '@rollkey/sdk'
import { exit, usage } from '../frame/cli-error.ts'
import { command } from '../frame/command.ts'
import { withConfirmation } from '../frame/confirmation.ts'
import type { Cell } from '../frame/output.ts'
import { placeText } from '../frame/principal.ts'
import { connectTo, placeOf, scopeOption, type ScopeOptions } from '../frame/scope.ts'
import { claimsOf, platforms, readText, rulesOf, secondsOf, type RuleOptions } from '../frame/trust-options.ts'
import { dayText } from '../frame/time.ts'
import { removal } from '../frame/removal.ts'

interface CreateOptions extends ScopeOptions, RuleOptions {
  readonly keys?: string
  readonly audience?: string
  readonly role?: MachineRole
  readonly history?: true
  readonly minutes?: string
  readonly forks?: true
}

const trustCreate = command<CreateOptions>({
  name: 'trust create',
  args: '[STAGE]',
  summary: 'Let a CI system or a cluster exchange its own tokens for access, so that it needs no stored token',
  target: 'stage',
  options: [
    ['--github <repository>', 'GitHub Actions of a repository, such as acme/shop'],
    ['--platform <platform>', `another platform: ${platforms.join(', ')}`, platforms],
    ['--environment <name>', 'only jobs of this environment of the platform'],
    ['--set <field=value...>', 'other fields of the platform, such as repositoryId=424242'],
    ['--issuer <url>', 'without a platform: the issuer of the tokens'],
    ['--claim <name=value...>', 'without a platform: claims that a token must have; one value may end with *'],
    ['--keys <file>', 'public keys of the issuer (JWKS), where the service cannot fetch them'],
    ['--audience <text>', 'whom tokens must be meant for (default: the address of the service)'],
    scopeOption,
    ['--role <role>', 'viewer, reader or developer (default: reader)', machineRoles],
    ['--history', 'allow reading the history and, with the role developer, restoring'],
    ['--minutes <minutes>', 'lifetime of an access token, 1 to 60 (default: 15)'],
    ['--forks', 'also for runs of pull requests, which anyone may cause'],
  ],
  examples: [
    ['trust create prod --github acme/shop --environment production', 'asks for the ids of the repository'],
    ['trust create prod --platform gitlab --set projectId=1001 refProtected=true', 'without questions'],
    [
      'trust create dev --issuer https://ci.example.com --claim project=shop',
      'any OpenID issuer that the service knows',
    ],
  ],
  async run(context, [stage], options) {
    const { out } = context
    const place = placeOf(context, stage, options)
    const { role = 'reader', history, minutes = '15', forks, audience } = options
    const lifetimeSeconds = secondsOf(minutes)
    const { name, issuer, claims, needsKeys } = await rulesOf(context, options)
    if (needsKeys && options.keys === undefined) throw usage('This platform needs --keys')
    const request = {
      name,
      issuer,
      claims: [...claims],
      ...place,
      role,
      history: history === true,
      lifetimeSeconds,
      forks: forks === true,
      ...(audience !== undefined && { audience }),
      ...(options.keys !== undefined && { jwks: readText(context.cwd, options.keys) }),
    }
    const client = await connectTo(context, place)
    const { requestId: _, ...trust } = await withConfirmation(context, client, () =>
      client.manage.trusts.create(request),
    )
    if (out.isJson) return out.json(trust)
    out.line(trust.id)
    const where = `as ${trust.role} on ${placeText(place)}`
    out.note(
      `Tokens of ${issuer} with ${claims.map((claim) => `${claim.name}=${claim.value}`).join(', ')} give access ${where}.`,
    )
    out.note(
      `In the job, set ROLLKEY_URL=${context.settings.url.value} and ROLLKEY_TRUST=${trust.id}. ${hintOf(options)}`,
    )
  },
})

function hintOf({ github }: CreateOptions): string {
  return github === undefined
    ? 'Pass the token of the platform as ROLLKEY_ID_TOKEN or ROLLKEY_ID_TOKEN_FILE.'
    : 'The job needs the permission id-token: write.'
}

const trustList = command({
  name: 'trust list',
  summary: 'List the trusts of the organization',
  target: 'organization',
  examples: [
    ['trust list', 'issuer, claims, scope, role and last use of each trust'],
    ['trust list --json', 'for a script'],
  ],
  async run(context) {
    const { out } = context
    const { trusts } = await (await context.service()).manage.trusts.list()
    if (out.isJson) return out.json({ trusts })
    const rows = trusts.map(({ id, name, issuer, claims, projectSlug = '*', stageSlug = '*', role, lastUsedAtMs }) => [
      id,
      name,
      issuer,
      claims.map((claim) => `${claim.name}=${claim.value}`).join(' '),
      `${projectSlug}/${stageSlug}`,
      role,
      dayText(lastUsedAtMs),
    ])
    out.table(['id', 'name', 'issuer', 'claims', 'scope', 'role', 'last used'], rows)
    if (rows.length === 0) out.note('There are no trusts. Create one with rollkey trust create.')
  },
})

const trustTest = command({
  name: 'trust test',
  args: '<ID> <FILE>',
  summary: 'Show what of a token a trust accepts, claim by claim; the token is not stored',
  target: 'organization',
  examples: [
    ['trust test tru_1a2b token.txt', 'status 6 if it is not accepted'],
    ['trust test tru_1a2b -', 'reads the token from stdin'],
  ],
  async run(context, [id = '', file = '']) {
    const { out, stdin, cwd } = context
    const token = (file === '-' ? await text(stdin) : readText(cwd, file)).trim()
    if (token === '') throw usage(`There is no token in ${file === '-' ? 'stdin' : file}`)
    const client = await context.service()
    const { requestId: _, ...result } = await client.manage.trusts.test({ token, id })
    const status = result.accepted ? exit.ok : exit.invalid
    if (out.isJson) {
      out.json(result)
      return status
    }
    const { signature, issuer, audience, times, proposedChange, claims } = result
    const rows: readonly Cell[][] = [
      row('signature', { expected: 'valid', actual: signature, matches: signature === 'valid' }),
      row('iss', issuer),
      row('aud', audience),
      row('exp', { expected: 'not over', actual: timeOf(times.expiresAtMs), matches: times.matches }),
      row('fork', { expected: 'no', actual: proposedChange.actual ? 'yes' : 'no', matches: proposedChange.matches }),
      ...claims.map((claim) => row(claim.name, claim)),
    ]
    out.table(['claim', 'matches', 'expected', 'actual'], rows)
    out.note(result.problem ?? 'The trust accepts this token.')
    return status
  },
})

function row(name: string, { expected, actual = '(none)', matches }: TrustComparison): Cell[] {
  return [name, matches ? { text: 'yes', style: 'green' } : { text: 'no', style: 'red' }, expected, actual]
}

function timeOf(ms: number | undefined): string | undefined {
  return ms === undefined ? undefined : new Date(ms).toISOString()
}

interface UpdateOptions {
  readonly name?: string
  readonly issuer?: string
  readonly audience?: string
  readonly claim?: readonly string[]
  readonly keys?: string | false
  readonly role?: MachineRole
  readonly history?: boolean
  readonly minutes?: string
  readonly forks?: boolean
}

type Changes = Omit<Request<'trustUpdate'>, 'orgSlug' | 'id'>

const trustUpdate = command<UpdateOptions>({
  name: 'trust update',
  args: '<ID>',
  summary: 'Change what a trust accepts or allows; the tokens that it gave stop working at once',
  target: 'organization',
  options: [
    ['--name <name>', 'new name'],
    ['--claim <name=value...>', 'all claims that a token must have from now on; one value may end with *'],
    ['--role <role>', 'viewer, reader or developer', machineRoles],
    ['--minutes <minutes>', 'lifetime of an access token, 1 to 60'],
    ['--history', 'allow reading the history and, with the role developer, restoring'],
    ['--no-history', 'no longer allow that'],
    ['--forks', 'also for runs of pull requests, which anyone may cause'],
    ['--no-forks', 'no longer for these'],
    ['--issuer <url>', 'another issuer of the tokens'],
    ['--audience <text>', 'whom tokens must be meant for'],
    ['--keys <file>', 'public keys of the issuer (JWKS), where the service cannot fetch them'],
    ['--no-keys', 'let the service fetch the keys of the issuer'],
  ],
  examples: [
    ['trust update tru_1a2b --claim repository_id=424242 ref=refs/heads/main', 'what is not named stays as it is'],
    ['trust update tru_1a2b --role viewer --minutes 5', 'rollkey trust list shows the ids'],
  ],
  async run(context, [id = ''], options) {
    const { out } = context
    const changes = changesOf(options, context.cwd)
    const fields = Object.keys(changes)
    if (fields.length === 0) throw usage('There is nothing to change (expected at least one option)')
    const client = await context.service()
    const reason = `Tokens of ${id} can read a protected stage.`
    const update = () => client.manage.trusts.update({ ...changes, id })
    const { requestId: _, ...trust } = await withConfirmation(context, client, update, reason)
    if (out.isJson) return out.json(trust)
    out.note(`Changed ${fields.join(', ')} of ${id}. Jobs get new tokens if they meet the new terms.`)
  },
})

function changesOf(
  { name, issuer, audience, claim, keys, role, history, minutes, forks }: UpdateOptions,
  cwd: string,
): Changes {
  return {
    ...(name !== undefined && { name }),
    ...(issuer !== undefined && { issuer }),
    ...(audience !== undefined && { audience }),
    ...(claim !== undefined && { claims: claimsOf(claim) }),
    ...(role !== undefined && { role }),
    ...(history !== undefined && { history }),
    ...(minutes !== undefined && { lifetimeSeconds: secondsOf(minutes) }),
    ...(forks !== undefined && { forks }),
    ...(keys !== undefined && { jwks: keys === false ? null : readText(cwd, keys) }),
  }
}

const trustDelete = removal({
  name: 'trust delete',
  args: '<ID>',
  summary: 'Delete a trust; the tokens that it gave stop working at once',
  target: 'organization',
  examples: [['trust delete tru_1a2b --yes', 'rollkey trust list shows the ids']],
  async find(context, [id = '']) {
    const { trusts } = (await context.service()).manage
    return {
      what: id,
      effect: 'Jobs that use it lose access at once.',
      key: { id },
      remove: () => trusts.delete({ id }),
    }
  },
})

export const trustCommands = [trustCreate, trustList, trustTest, trustUpdate, trustDelete]
