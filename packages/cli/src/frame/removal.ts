/** Commands that ask, and then delete or revoke what their arguments name. */
import { RollkeyError } from '@rollkey/sdk'
import { exit, CliError } from './cli-error.ts'
import { command, type CommandSpec } from './command.ts'
import type { Context } from './context.ts'

/** What a command removes. */
interface Removed {
  /** Its name in the question and the answer, such as `the role auditor`. */
  readonly what: string
  /** What follows from the removal, as the end of the question. */
  readonly effect?: string
  /** What identifies it in JSON. */
  readonly key: object
  /** Message if it does not exist, by default that of the service. */
  readonly missing?: string
  readonly remove: () => Promise<unknown>
}

interface Removal<Options extends object> extends Omit<CommandSpec<Options>, 'run'> {
  readonly find: (context: Context, args: readonly string[], options: Options) => Promise<Removed>
}

/** Declares a command such as `role delete` or `token revoke`. */
export function removal<Options extends object>({ find, ...spec }: Removal<Options>) {
  const [noun = '', verb = ''] = spec.name.split(' ')
  const imperative = verb.charAt(0).toUpperCase() + verb.slice(1)
  return command<Options & { readonly yes?: true }>({
    ...spec,
    options: [...(spec.options ?? []), ['-y, --yes', 'skip the confirmation']],
    async run(context, args, options) {
      const { out, prompt } = context
      const { what, effect, key, missing, remove } = await find(context, args, options)
      const question = [`${imperative} ${what}?`, effect].filter(Boolean).join(' ')
      if (!options.yes) await prompt.confirm(question, '--yes')
      await remove().catch((error: unknown) => {
        if (!(error instanceof RollkeyError) || error.code !== 'NOT_FOUND') throw error
        const { code, message, requestId } = error
        throw new CliError(code, missing ?? message, {
          status: exit.notFound,
          requestId,
          command: `rollkey ${noun} list`,
        })
      })
      if (out.isJson) return out.json({ ...key, [`${verb}d`]: true })
      out.note(`${imperative}d ${what}.`)
    },
  })
}
