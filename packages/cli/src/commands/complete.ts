import { namesAfter, optionOf, typedAfter } from '../completion/names.ts'
import { commandOf, wordsAfter } from '../completion/words.ts'
import { command, type CommandSpec } from '../frame/command.ts'
import { printableLine } from '../frame/printable.ts'

/** Creates the command that prints the words that may follow, for the scripts of `rollkey completion`. */
export function completeOf(commands: readonly CommandSpec[]) {
  return command({
    name: 'complete',
    args: '[WORDS...]',
    summary: 'Print the words that may follow',
    target: 'nothing',
    isHidden: true,
    passesThrough: true,
    examples: [['complete -- tok', 'token']],
    async run(context, typed) {
      const { out } = context
      const before = typed.slice(0, -1)
      const last = typed.at(-1) ?? ''
      const spec = before.includes('--') ? undefined : commandOf(commands, before)
      const own = before.slice(spec?.name.split(' ').length)
      const option = spec ? optionOf(last, spec, own) : ''
      const after = option === '' ? own : [...own, option.replace('=', '')]
      const isValueDue = spec !== undefined && typedAfter(spec, after).open !== undefined
      const isOption = !isValueDue && last.startsWith('-')
      const values = spec && !isOption ? await namesAfter(context, spec, after) : []
      const words =
        isValueDue || values.length > 0
          ? values.map(({ word, about }) => ({ word: option + word, about }))
          : wordsAfter(commands, typed)
      if (out.isJson) out.json(words)
      else for (const { word, about } of words) out.line(`${word}\t${printableLine(about)}`)
    },
  })
}
