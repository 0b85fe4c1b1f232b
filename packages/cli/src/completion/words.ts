import { optionsOf, type CommandSpec } from '../frame/command.ts'

/** A word that may follow, and what it is. */
export interface Word {
  readonly word: string
  readonly about: string
}

/** Returns the words that may replace the last one of `typed`. Returns none after `--`, where another program's begin. */
export function wordsAfter(commands: readonly CommandSpec[], typed: readonly string[]): Word[] {
  const before = typed.slice(0, -1)
  if (before.includes('--')) return []
  const names = commands.map(({ name }) => name)
  const spec = commandOf(commands, before)
  // The last name of an option is its present one.
  if (spec)
    return optionsOf(spec).map(([flags, about]) => ({ word: flags.match(/--[a-z-]+/g)?.at(-1) ?? flags, about }))
  const depth = before.length
  const open = names.filter(
    (name) => name.split(' ').length > depth && name.split(' ').slice(0, depth).join(' ') === before.join(' '),
  )
  const words = [...new Set(open.map((name) => name.split(' ')[depth] ?? ''))]
  return words.map((word) => {
    const whole = commands.find(({ name }) => name === [...before, word].join(' '))
    return { word, about: whole?.summary ?? `${word} …` }
  })
}

/** Returns the command with which the words begin. */
export function commandOf(commands: readonly CommandSpec[], words: readonly string[]): CommandSpec | undefined {
  return commands.find(({ name }) => words.slice(0, name.split(' ').length).join(' ') === name)
}
