import { wordsAfter } from '../completion/words.ts'
import { command } from '../frame/command.ts'

/** Prints the words that may follow, for the scripts of `rollkey completion`. */
export const complete = command({
  name: 'complete',
  args: '[WORDS...]',
  summary: 'Print the words that may follow',
  target: 'nothing',
  isHidden: true,
  passesThrough: true,
  examples: [['complete -- tok', 'token']],
  async run({ out }, typed) {
    // Imported late, since the list of commands contains this one.
    const { commands } = await import('./index.ts')
    const words = wordsAfter(
      commands.filter(({ isHidden }) => !isHidden),
      typed,
    )
    if (out.isJson) out.json(words)
    else for (const { word, about } of words) out.line(`${word}\t${about}`)
  },
})
