import { command } from '../frame/command.ts'
import { withConfirmation } from '../frame/confirmation.ts'
import { usage } from '../frame/cli-error.ts'

interface Options {
  readonly origin?: readonly string[]
  readonly anyOrigin?: true
  readonly appsOnly?: true
  readonly evaluations?: string
}

export const keyCreate = command<Options>({
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
    ['set CHECKOUT_FLOW --exposure client --keep-value', 'exposes a variable to the keys of its stage'],
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
      `It sees ${visible} of ${variables.length} variables: those whose exposure is client. Its id is ${key.id}.`,
    )
  },
})

function originsOf({ origin, anyOrigin, appsOnly }: Options): string[] {
  if ([origin, anyOrigin, appsOnly].filter((each) => each !== undefined).length !== 1)
    throw usage('One of --origin, --any-origin and --apps-only is required')
  return anyOrigin ? ['*'] : [...(origin ?? [])]
}
