/** Names that the service knows, as words that may follow. */
import { optionsOf, type CommandSpec, type Completed, type Option } from '../frame/command.ts'
import { Context, type TargetFlags } from '../frame/context.ts'
import { kindText } from '../frame/words.ts'
import type { Word } from './words.ts'

/** How long someone who pressed Tab waits at most. */
const maxWaitMs = 1_500

/** Words that no shell expands: those of bash expand what completion prints. */
const isPlain = /^[\w./-]+$/

/** What the words after the name of a command say. */
interface Typed {
  readonly args: readonly string[]
  /** Settings that they override. */
  readonly flags: TargetFlags
  readonly config?: string
  /** The option whose value comes next. Absent: none. */
  readonly open?: string
}

/** Reads the words after the name of a command. */
export function typedAfter(spec: CommandSpec, words: readonly string[]): Typed {
  const takesValue = flagsWithValue(spec)
  const values: Record<string, string> = {}
  const args: string[] = []
  let open: string | undefined
  for (const word of words) {
    const [, name = '', value] = /^([^=]*)(?:=(.*))?$/s.exec(word) ?? []
    if (open !== undefined) {
      values[open] = word
      open = undefined
    } else if (!word.startsWith('-')) args.push(word)
    else if (value !== undefined) values[name] = value
    else if (takesValue.has(name)) open = name
  }
  const entries = (['url', 'org', 'project', 'stage', 'config'] as const).flatMap((name) => {
    const value = values[`--${name}`]
    return value === undefined ? [] : [[name, value] as const]
  })
  const { config, ...flags } = Object.fromEntries(entries) as TargetFlags & { readonly config?: string }
  return { args, flags, ...(config !== undefined && { config }), ...(open !== undefined && { open }) }
}

function flagsWithValue(spec: CommandSpec): Set<string> {
  return new Set(optionsOf(spec).flatMap((option) => (option[0].includes('<') ? flagsOf(option) : [])))
}

/** Returns the beginning of a word that has option and value, `--stage=` of `--stage=prod` or `-f` of `-fjson`, or an empty text. */
export function optionOf(word: string, spec: CommandSpec, before: readonly string[]): string {
  const [found = ''] = /^--[a-z-]+=|^-[a-z](?=.)/.exec(word) ?? []
  // After an option without its value, each word is that.
  const isOption = flagsWithValue(spec).has(found.replace('=', '')) && typedAfter(spec, before).open === undefined
  return isOption ? found : ''
}

function flagsOf([flags]: Option): readonly string[] {
  return flags.match(/(?<![\w-])--?[a-z-]+/g) ?? []
}

/** Returns the values of an argument or an option that may follow these words. Returns none if the service does not answer soon. */
export async function namesAfter(context: Context, spec: CommandSpec, words: readonly string[]): Promise<Word[]> {
  const { args, flags, config, open } = typedAfter(spec, words)
  const { completes = [] } = spec
  const argument = args.length < completes.length ? completes[args.length] : completes.at(-1)
  const completed =
    open === undefined ? argument : optionsOf(spec).find((option) => flagsOf(option).includes(open))?.[2]
  if (completed === undefined) return []
  if (typeof completed === 'object') return completed.map((word) => ({ word, about: '' }))
  // The variables of a copy are those of its first stage.
  const [stage, project = flags.project] = completes[0] === 'stage' ? (args[0] ?? '').split('/').toReversed() : []
  const place = { ...flags, ...(stage && { stage }), ...(project && { project }) }
  try {
    const found = await read(new Context({ ...partsOf(context), flags: place, config }), completed)
    return found.filter(({ word }) => isPlain.test(word))
  } catch {
    return []
  }
}

function partsOf({ allowHttp, env, cwd, stdin, out, prompt }: Context) {
  return { allowHttp, env, cwd, stdin, out, prompt }
}

async function read(context: Context, completed: Exclude<Completed, readonly string[]>): Promise<Word[]> {
  const client = await context.service()
  const ending = setTimeout(() => client.close(), maxWaitMs)
  try {
    if (completed === 'variable')
      return (await client.list()).variables.map((each) => ({
        word: each.name,
        about: kindText(each, { isTerminal: true }),
      }))
    if (completed === 'change')
      return (await client.manage.changes.list()).changes.map(({ id, reason }) => ({ word: id, about: reason }))
    const { projects } = await client.projects()
    if (completed === 'project') return projects.map(({ projectSlug, name }) => ({ word: projectSlug, about: name }))
    const project = projects.find(({ projectSlug }) => projectSlug === context.settings.project?.value)
    return (project?.stages ?? []).map(({ stageSlug, name }) => ({ word: stageSlug, about: name }))
  } finally {
    clearTimeout(ending)
  }
}
