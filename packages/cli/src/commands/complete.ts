import { wordsAfter } from '../completion/words.ts'
import { command, type CommandSpec } from '../frame/command.ts'

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
    async run({ out }, typed) {
      const words = wordsAfter(commands, typed)
      if (out.isJson) out.json(words)
      else for (const { word, about } of words) out.line(`${word}\t${about}`)
    },
  })
}
