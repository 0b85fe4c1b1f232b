import type { TemplateField } from '@rollkey/contract/rules'
import { RollkeyError, type Client } from '@rollkey/sdk'
import { command } from '../frame/command.ts'
import type { Context } from '../frame/context.ts'
import { withConfirmation } from '../frame/confirmation.ts'
import { isExposed, listed } from '../frame/exposed.ts'
import { onVariable } from '../frame/names.ts'
import { withLastValuesNamed } from '../offline/stage-values.ts'
import { contextOption, rollOf, warnOfKeyAlone, type RollOptions } from '../frame/roll-options.ts'

interface Options extends RollOptions {
  readonly reveal?: true
}

export const get = command<Options>({
  name: 'get',
  args: '<NAME>',
  summary: 'Print one value',
  completes: ['variable', undefined],
  target: 'stage',
  options: [
    ['--seed <seed>', 'user of an A/B roll, such as a user id: the same seed and key get the same side'],
    ['--key <key>', 'experiment of an A/B roll; without --seed, it gives everyone the same side'],
    contextOption,
    ['--reveal', 'show the value on a terminal, and to people the text of a template; with --json in a pipe too'],
  ],
  examples: [
    ['get API_KEY --reveal', 'shows the value'],
    ['get API_KEY | pbcopy', 'passes it on; a pipe always gets the value'],
    ['get NEW_CHECKOUT --seed user-1 --key checkout --json', 'includes the side that the roll chose'],
    ["get LIMIT --json | jq '.value | fromjson'", 'JSON has the value as text; here a number or boolean'],
  ],
  async run(context, [name = ''], { reveal, ...options }) {
    const { out } = context
    const stage = await context.stage()
    const roll = rollOf(options)
    const inspect = () => onVariable(stage, name, () => stage.inspect(name, roll))
    const { kind, text, declaredType, decision } = await withLastValuesNamed(context, () =>
      withConfirmation(context, stage, inspect),
    )
    if (kind === 'ab_roll') warnOfKeyAlone(out, roll)
    if (kind === 'ab_roll' && out.isTerminal && !roll.seed && !roll.key)
      out.note(`${name} is an A/B roll: another read may give the other side. Add --seed, such as a user id.`)
    const all = out.isTerminal || (out.isJson && reveal) ? await listed(stage) : []
    const variable = all.find((each) => each.name === name)
    const value = out.secret(text, reveal === true || isExposed(variable))
    const texts = reveal && variable?.template ? await templateTexts(context, stage, name) : {}
    if (out.isJson) out.json({ name, kind, value, declaredType, decision, ...texts })
    else if (out.isTerminal) {
      out.line(value)
      for (const [field, template] of Object.entries(texts)) out.line(`${field}: ${template}`)
    } else out.write(value)
    if (value !== text) out.note('The value is hidden. Add --reveal to show it.')
  },
})

/** Returns the texts of a template by their fields; none for a machine, which may not reveal values. */
async function templateTexts(
  context: Context,
  client: Client,
  name: string,
): Promise<Readonly<Record<string, string>>> {
  const reveal = async () => (await client.manage.reveal({ names: [name] })).variables
  const [entry] = await withConfirmation(context, client, reveal).catch((error: unknown) => {
    // A service token reads values, and only people reveal them.
    if (error instanceof RollkeyError && error.code === 'FORBIDDEN') return []
    throw error
  })
  const { template, templateA, templateB }: { readonly [Field in TemplateField]?: string | undefined } = entry ?? {}
  const texts = Object.entries({ template, templateA, templateB })
  return Object.fromEntries(texts.flatMap(([field, text]) => (text === undefined ? [] : [[field, text]])))
}
