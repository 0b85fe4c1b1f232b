import { command } from '../frame/command.ts'
import { usage } from '../frame/cli-error.ts'
import { withConfirmation } from '../frame/confirmation.ts'

interface Options {
  readonly overlap?: string
  readonly days?: string
}

export const tokenRotate = command<Options>({
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
    const until = new Date(token.formerExpiresAtMs).toISOString()
    out.note(`This token is not shown again. Set it as ROLLKEY_TOKEN. The former one works until ${until}.`)
  },
})

/** Returns the number of an option. Throws USAGE unless it is a whole number. */
function whole(name: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  if (!/^\d+$/.test(text)) throw usage(`${name} must be a whole number`)
  return Number(text)
}
