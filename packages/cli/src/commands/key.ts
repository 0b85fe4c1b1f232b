import { usage } from '../frame/cli-error.ts'
import { command } from '../frame/command.ts'
import { withConfirmation } from '../frame/confirmation.ts'
import { dayText } from '../frame/time.ts'
import { removal } from '../frame/removal.ts'
import { countText } from '../frame/words.ts'

interface CreateOptions {
  readonly origin?: readonly string[]
  readonly anyOrigin?: true
  readonly appsOnly?: true
  readonly evaluations?: string
}

const keyCreate = command<CreateOptions>({
  name: 'key create',
  args: '<NAME>',
  summary: 'Create a client key, with which web pages and apps evaluate what is exposed to them; it may be public',
  target: 'stage',
  options: [
    ['--origin <origin...>', 'origins whose web pages may use it, such as https://app.example.com'],
    ['--any-origin', 'all web pages may use it'],
    ['--apps-only', 'no web page may use it'],
    ['--evaluations <count>', 'evaluations per month after which it is refused (default: as the operator sets)'],
  ],
  examples: [
    ['key create "Web shop" --stage prod --origin https://shop.example.com', 'prints the key'],
    ['key create "iOS app" --stage prod --apps-only --evaluations 50000', 'apps send no origin'],
    ['set CHECKOUT_FLOW --visibility client --keep-value', 'exposes a variable to the keys of its stage'],
  ],
  async run(context, [name = ''], options) {
    const { out } = context
    const origins = originsOf(options)
    const { evaluations } = options
    const evaluationsPerMonth = evaluations === undefined ? undefined : Number(evaluations)
    if (evaluationsPerMonth !== undefined && !(Number.isSafeInteger(evaluationsPerMonth) && evaluationsPerMonth > 0))
      throw usage('--evaluations must be a whole number of at least 1')
    const client = await context.stage()
    // A key for a misspelled stage would see nothing, or a stage that someone creates under that name later.
    const { variables } = await client.list()
    const request = { name, origins, ...(evaluationsPerMonth !== undefined && { evaluationsPerMonth }) }
    const { requestId: _, ...key } = await withConfirmation(context, client, () => client.manage.keys.create(request))
    if (out.isJson) return out.json(key)
    out.line(key.key)
    const visible = variables.filter(({ exposure }) => exposure === 'client').length
    out.note(
      `It sees ${visible} of ${countText(variables.length)}: those whose visibility is client. Its id is ${key.id}.`,
    )
  },
})

function originsOf({ origin, anyOrigin, appsOnly }: CreateOptions): string[] {
  if ([origin, anyOrigin, appsOnly].filter((each) => each !== undefined).length !== 1)
    throw usage('One of --origin, --any-origin and --apps-only is required')
  return anyOrigin ? ['*'] : [...(origin ?? [])]
}

const keyList = command({
  name: 'key list',
  summary: 'List the client keys of the organization, which may be public',
  target: 'organization',
  examples: [
    ['key list', 'key, stage, origins and evaluations of this month'],
    ['key list --json', 'for a script'],
  ],
  async run(context) {
    const { out } = context
    const { keys } = await (await context.service()).manage.keys.list()
    if (out.isJson) return out.json({ keys })
    const rows = keys.map((each) => [
      each.id,
      each.name,
      `${each.projectSlug}/${each.stageSlug}`,
      each.origins.join(' ') || '(apps only)',
      `${each.evaluationsThisMonth} of ${each.evaluationsPerMonth}`,
      dayText(each.lastUsedAtMs),
      each.key,
    ])
    out.table(['id', 'name', 'stage', 'origins', 'this month', 'last used', 'key'], rows)
    if (rows.length === 0) out.note('There are no client keys. Create one with rollkey key create.')
  },
})

const keyRevoke = removal({
  name: 'key revoke',
  args: '<ID>',
  summary: 'Revoke a client key at once',
  target: 'organization',
  examples: [['key revoke key_1a2b --yes', 'rollkey key list shows the ids']],
  async find(context, [id = '']) {
    const { keys } = (await context.service()).manage
    const effect = 'Pages and apps that use it get their default values at once.'
    return { what: id, effect, key: { id }, remove: () => keys.revoke({ id }) }
  },
})

export const keyCommands = [keyCreate, keyList, keyRevoke]
