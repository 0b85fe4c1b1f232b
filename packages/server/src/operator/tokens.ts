/**
 * The commands that manage service tokens (docs/api.md, "Service tokens"). If the identity provider reports no roles, they
 * are the only way to create one.
 */
import { endpoints, limits } from '@rollkey/contract'
import { operatorActorOf } from '../storage/actor.ts'
import { usage } from './command-error.ts'
import { option, organizationOf, orgIdOf, storeCommand, withCommandErrors } from './command.ts'

interface TokenInput {
  readonly name: string
  readonly org: string
  readonly project?: string
  readonly stage?: string
  readonly write?: true
  readonly history?: true
  readonly days?: string
}

/** Descriptions of the arguments and options, by the field of the request that they set. */
const expectedByField: Readonly<Record<string, string>> = {
  name: `NAME (expected 1 to ${limits.tokenNameCharacters} characters)`,
  projectSlug: '--project (expected a slug)',
  stageSlug: '--stage (expected a slug, together with --project)',
  expiresInDays: `--days (expected a whole number from 1 to ${limits.serviceTokenDays})`,
}

export const tokenCreate = storeCommand<TokenInput>({
  name: 'token create',
  args: [['<NAME>', 'name of the token, for people']],
  summary: 'Create a service token for a deployed application or CI; it is shown only once',
  required: [option.org],
  options: [
    ['--project <project>', 'limit the token to this project'],
    ['--stage <stage>', 'limit the token to this stage of the project'],
    ['--write', 'allow writes'],
    ['--history', 'allow reading the history and, with --write, restoring'],
    ['--days <days>', 'days until it expires (default: 365)'],
  ],
  examples: [
    ['token create web --org acme --project shop --stage prod', 'reads one stage'],
    ['token create ci --org acme --write --days 90', 'reads and writes everything'],
  ],
  async runOnStore({ sql, serviceTokens }, { name, org, project, stage, write, history, days }) {
    const { id: orgId, slug: orgSlug } = await organizationOf(sql, org)
    const { data, error } = endpoints.tokenCreate.request.safeParse({
      orgSlug,
      name,
      projectSlug: project,
      stageSlug: stage,
      readOnly: write !== true,
      history: history === true,
      expiresInDays: days === undefined ? undefined : Number(days),
    })
    if (!data) throw usage(`Invalid ${expectedByField[String(error.issues[0]?.path[0])] ?? 'input'}.`, 'token create')
    return withCommandErrors(serviceTokens.create(operatorActorOf(orgId), data), 'USAGE')
  },
})

export const tokenList = storeCommand<{ org: string }>({
  name: 'token list',
  summary: 'List the service tokens of an organization',
  required: [option.org],
  examples: [['token list --org acme', 'scope, rights, last use and expiry of each token']],
  runOnStore: async ({ sql, serviceTokens }, { org }) => ({
    tokens: await serviceTokens.list(await orgIdOf(sql, org)),
  }),
})

export const tokenRevoke = storeCommand<{ id: string; org: string }>({
  name: 'token revoke',
  args: [['<ID>', 'ID of the token, which `token list` shows']],
  summary: 'Revoke a service token at once',
  required: [option.org],
  examples: [['token revoke tok_1a2b --org acme', 'refused from the next request on, on every node']],
  async runOnStore({ sql, serviceTokens }, { id, org }) {
    await withCommandErrors(serviceTokens.revoke(operatorActorOf(await orgIdOf(sql, org)), id))
    return { revoked: id }
  },
})
