import type { Client } from '@rollkey/sdk'
import { usage } from '../frame/cli-error.ts'
import { command } from '../frame/command.ts'
import { withConfirmation } from '../frame/confirmation.ts'
import { connectTo, placeOf, scopes, type ScopeOptions } from '../frame/scope.ts'
import { dayText, shownTime, timeText } from '../frame/time.ts'
import { removal } from '../frame/removal.ts'

interface CreateOptions extends ScopeOptions {
  readonly write?: true
  readonly history?: true
  readonly days?: string
}

const tokenCreate = command<CreateOptions>({
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
  async run(context, [name = ''], { write, history, days, ...options }) {
    const { out } = context
    const place = placeOf(context, undefined, options)
    const expiresInDays = days === undefined ? undefined : Number(days)
    if (expiresInDays !== undefined && !Number.isInteger(expiresInDays)) throw usage('--days must be a whole number')
    // A token for a misspelled stage would read nothing, or a stage that someone creates under that name later.
    const client = await connectTo(context, place)
    const create = () =>
      client.tokens.create({
        name,
        readOnly: write !== true,
        history: history === true,
        expiresInDays,
        ...place,
      })
    const { requestId: _, ...token } = await withConfirmation(context, client, create)
    if (out.isJson) {
      out.json(token)
      return
    }
    out.line(token.token)
    if (await isTaken(client, name))
      out.warn(`Another token has the name ${JSON.stringify(name)}: name each by its id in other commands.`)
    const until = dayText(token.expiresAtMs)
    out.note(`This token is not shown again. Set it as ROLLKEY_TOKEN. It expires on ${until}. Its id is ${token.id}.`)
  },
})

/** Returns whether several tokens have the name, if the caller may list them. */
async function isTaken(client: Client, name: string): Promise<boolean> {
  try {
    return (await client.tokens.list()).tokens.filter((each) => each.name === name).length > 1
  } catch {
    return false // the token is created, whatever is wrong with the list
  }
}

const tokenList = command({
  name: 'token list',
  summary: 'List the service tokens of the organization',
  target: 'organization',
  examples: [
    ['token list', 'scope, rights, last use and expiry of each token'],
    ['token list --json', 'for a script'],
  ],
  async run(context) {
    const { out } = context
    const { tokens } = await (await context.service()).tokens.list()
    if (out.isJson) {
      out.json({ tokens })
      return
    }
    const rows = tokens.map(
      ({ id, name, projectSlug = '*', stageSlug = '*', readOnly, history, lastUsedAtMs, expiresAtMs }) => [
        id,
        name,
        `${projectSlug}/${stageSlug}`,
        `${readOnly ? 'read' : 'write'}${history ? ', history' : ''}`,
        dayText(lastUsedAtMs),
        dayText(expiresAtMs),
      ],
    )
    out.table(['id', 'name', 'scope', 'rights', 'last used', 'expires'], rows)
    const left = tokens.filter(({ creator }) => creator === 'left').map(({ id }) => id)
    if (left.length > 0) out.note(`Created by former members: ${left.join(', ')}. Replace these tokens.`)
    for (const { id, formerExpiresAtMs = 0 } of tokens)
      if (formerExpiresAtMs > Date.now())
        out.note(`The former secret of ${id} works until ${timeText(formerExpiresAtMs, 'UTC')} (UTC).`)
    if (rows.length === 0) out.note('There are no service tokens. Create one with rollkey token create.')
  },
})

interface RotateOptions {
  readonly overlap?: string
  readonly days?: string
}

const tokenRotate = command<RotateOptions>({
  name: 'token rotate',
  args: '<ID>',
  summary: 'Replace the secret of a service token; the new one is shown only once',
  target: 'organization',
  options: [
    ['--overlap <hours>', 'hours that the former secret keeps working (default: 24)'],
    ['--days <days>', 'days until the new one expires (default: 365)'],
  ],
  examples: [
    ['token rotate tok_1a2b', 'rollkey token list shows the ids'],
    ['token rotate tok_1a2b --overlap 0', 'the former secret ends at once'],
  ],
  async run(context, [id = ''], { overlap, days }) {
    const { out } = context
    const overlapHours = whole('--overlap', overlap)
    const expiresInDays = whole('--days', days)
    const client = await context.service()
    const rotate = () => client.tokens.rotate(id, { overlapHours, expiresInDays })
    const reason = 'The service token reads a protected stage.'
    const { requestId: _, ...token } = await withConfirmation(context, client, rotate, reason)
    if (out.isJson) return out.json(token)
    out.line(token.token)
    const until = shownTime(out, token.formerExpiresAtMs)
    out.note(`This token is not shown again. Set it as ROLLKEY_TOKEN. The former one works until ${until}.`)
  },
})

/** Returns the number of an option. Throws USAGE unless it is a whole number. */
function whole(name: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  if (!/^\d+$/.test(text)) throw usage(`${name} must be a whole number`)
  return Number(text)
}

const tokenRevoke = removal({
  name: 'token revoke',
  args: '<ID>',
  summary: 'Revoke a service token at once',
  target: 'organization',
  examples: [['token revoke tok_1a2b --yes', 'rollkey token list shows the ids']],
  async find(context, [id = '']) {
    const { tokens } = await context.service()
    return {
      what: id,
      effect: 'Applications that use it lose access at once.',
      key: { id },
      missing: `Service token ${id} does not exist or is already revoked`,
      remove: () => tokens.revoke(id),
    }
  },
})

export const tokenCommands = [tokenCreate, tokenList, tokenRotate, tokenRevoke]
