import { fillPreset, trustPresets, type TrustPreset } from '@rollkey/contract/rules'
import { command } from '../frame/command.ts'
import type { Context } from '../frame/context.ts'
import { usage } from '../frame/cli-error.ts'
import { withConfirmation } from '../frame/confirmation.ts'
import { placeText } from '../frame/principal.ts'
import { placeOf, scopeOption, type ScopeOptions } from '../frame/scope.ts'
import { claimsOf, machineRoleOf, roles, pairOf, readText, secondsOf } from '../frame/trust-options.ts'

interface Options extends ScopeOptions {
  readonly github?: string
  readonly platform?: string
  readonly environment?: string
  readonly set?: readonly string[]
  readonly issuer?: string
  readonly claim?: readonly string[]
  readonly keys?: string
  readonly audience?: string
  readonly role?: string
  readonly history?: true
  readonly minutes?: string
  readonly forks?: true
}

const platforms = trustPresets.map(({ id }) => id).join(', ')

export const trustCreate = command<Options>({
  name: 'trust create',
  args: '[STAGE]',
  summary: 'Let a CI system or a cluster exchange its own tokens for access, so that it needs no stored token',
  target: 'stage',
  options: [
    ['--github <repository>', 'GitHub Actions of a repository, such as acme/shop'],
    ['--platform <platform>', `another platform: ${platforms}`, trustPresets.map(({ id }) => id)],
    ['--environment <name>', 'only jobs of this environment of the platform'],
    ['--set <field=value...>', 'other fields of the platform, such as repositoryId=424242'],
    ['--issuer <url>', 'without a platform: the issuer of the tokens'],
    ['--claim <name=value...>', 'without a platform: claims that a token must have; one value may end with *'],
    ['--keys <file>', 'public keys of the issuer (JWKS), where the service cannot fetch them'],
    ['--audience <text>', 'whom tokens must be meant for (default: the address of the service)'],
    scopeOption,
    ['--role <role>', 'viewer, reader or developer (default: reader)', roles],
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
    const machineRole = machineRoleOf(role)
    const lifetimeSeconds = secondsOf(minutes)
    const { name, issuer, claims, needsKeys } = await rulesOf(context, options)
    if (needsKeys && options.keys === undefined) throw usage('This platform needs --keys')
    const request = {
      name,
      issuer,
      claims: [...claims],
      ...place,
      role: machineRole,
      history: history === true,
      lifetimeSeconds,
      forks: forks === true,
      ...(audience !== undefined && { audience }),
      ...(options.keys !== undefined && { jwks: readText(context.cwd, options.keys) }),
    }
    const client = await context.service()
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

interface Rules {
  readonly name: string
  readonly issuer: string
  readonly claims: readonly { readonly name: string; readonly value: string }[]
  readonly needsKeys: boolean
}

async function rulesOf(context: Context, options: Options): Promise<Rules> {
  const { github, platform, issuer, claim = [], environment } = options
  if ([github, platform, issuer].filter((each) => each !== undefined).length !== 1)
    throw usage('One of --github, --platform and --issuer is required')
  if (issuer !== undefined) {
    const claims = claimsOf(claim)
    if (claims.length === 0) throw usage('--issuer needs --claim')
    if (!URL.canParse(issuer)) throw usage(`--issuer ${JSON.stringify(issuer)} is not an address`)
    return { name: new URL(issuer).host, issuer, claims, needsKeys: false }
  }
  const preset = trustPresets.find(({ id }) => id === (github === undefined ? platform : 'github'))
  if (!preset) throw usage(`Unknown --platform ${JSON.stringify(platform)} (expected ${platforms})`)
  const fields = Object.fromEntries((options.set ?? []).map((text) => pairOf(text, '--set')))
  const unknown = Object.keys(fields).find((name) => !preset.fields.some((field) => field.name === name))
  if (unknown !== undefined)
    throw usage(
      `${preset.title} has no field ${JSON.stringify(unknown)} (expected ${preset.fields.map(({ name }) => name).join(', ')})`,
    )
  const given = { ...fields, ...(environment !== undefined && { environment }) }
  const values = { ...given, ...(await ask(context, preset, given, github)) }
  const filled = fillPreset(preset, values)
  if ('missing' in filled) throw usage(`${preset.title} needs ${filled.missing.join(', ')}`)
  const name = github ?? Object.values(values)[0] ?? preset.title
  return { name: `${preset.title} ${name}`, ...filled, needsKeys: preset.needsKeys }
}

/** Asks for the required fields that are not given. */
async function ask(
  { prompt }: Context,
  { title, fields }: TrustPreset,
  given: Readonly<Record<string, string>>,
  github: string | undefined,
): Promise<Record<string, string>> {
  const answers: Record<string, string> = {}
  for (const { name, isRequired, example, standard } of fields) {
    if (!isRequired || standard !== undefined || given[name] !== undefined) continue
    const how = github === undefined ? `for example ${example}` : `gh api repos/${github} --jq .id`
    const instead = `${title} needs --set ${name}=… (${how})`
    answers[name] = await prompt.text(`${name} (${how})`, instead)
  }
  return answers
}

function hintOf({ github }: Options): string {
  return github === undefined
    ? 'Pass the token of the platform as ROLLKEY_ID_TOKEN or ROLLKEY_ID_TOKEN_FILE.'
    : 'The job needs the permission id-token: write.'
}
