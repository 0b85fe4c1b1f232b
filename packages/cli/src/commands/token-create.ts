import { nearest, type Client } from '@rollkey/sdk'
import { command } from '../frame/command.ts'
import { exit, CliError, usage } from '../frame/cli-error.ts'
import { withConfirmation } from '../frame/confirmation.ts'
import { scopes } from '../frame/scope.ts'

interface Options {
  readonly scope?: string
  readonly write?: true
  readonly history?: true
  readonly days?: string
}

export const tokenCreate = command<Options>({
  name: 'token create',
  args: '<NAME>',
  summary: 'Create a service token for a deployed application or CI; it is shown only once',
  target: 'stage',
  options: [
    ['--scope <scope>', 'token scope: stage, project or organization (default: stage)', scopes],
    ['--write', 'allow writes'],
    ['--history', 'allow reading the history and, with --write, restoring'],
    ['--days <days>', 'days until it expires (default: 365)'],
  ],
  examples: [
    ['token create web-prod --stage prod', 'reads the stage prod of the project of rollkey.json'],
    ['token create ci --scope project --write --days 90', 'reads and writes all stages of the project'],
    ['token create web-prod --json', 'includes its id and expiry'],
  ],
  async run(context, [name = ''], { scope = 'stage', write, history, days }) {
    const { out, settings } = context
    if (!scopes.includes(scope)) {
      throw usage(`Unknown --scope ${JSON.stringify(scope)} (expected stage, project or organization)`)
    }
    const expiresInDays = days === undefined ? undefined : Number(days)
    if (expiresInDays !== undefined && !Number.isInteger(expiresInDays)) throw usage('--days must be a whole number')
    const client = await (scope === 'stage' ? context.stage() : context.service())
    if (scope === 'project' && settings.project === undefined) throw usage('--scope project needs --project')
    // A token for a misspelled stage would read nothing, or a stage that someone creates under that name later.
    if (scope === 'stage') await client.list()
    if (scope === 'project') await expectProject(client, settings.project?.value ?? '')
    const create = () =>
      client.tokens.create({
        name,
        readOnly: write !== true,
        history: history === true,
        expiresInDays,
        projectSlug: scope === 'organization' ? undefined : settings.project?.value,
        stageSlug: scope === 'stage' ? settings.stage?.value : undefined,
      })
    const { requestId: _, ...token } = await withConfirmation(context, client, create)
    if (out.isJson) {
      out.json(token)
      return
    }
    out.line(token.token)
    const until = new Date(token.expiresAtMs).toISOString().slice(0, 10)
    out.note(`This token is not shown again. Set it as ROLLKEY_TOKEN. It expires on ${until}. Its id is ${token.id}.`)
  },
})

async function expectProject(client: Client, project: string): Promise<void> {
  const slugs = (await client.projects()).projects.map(({ projectSlug }) => projectSlug)
  if (slugs.includes(project)) return
  const like = nearest(project, slugs).map((slug) => JSON.stringify(slug))
  const hint = like.length > 0 ? ` Did you mean ${like.join(', ')}?` : ''
  throw new CliError('STAGE_NOT_FOUND', `The organization has no project ${JSON.stringify(project)}.${hint}`, {
    status: exit.notFound,
    command: 'rollkey config',
  })
}
