/** Options that the commands for trusts share. */
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { fillPreset, trustPresets, type TrustPreset } from '@rollkey/contract/rules'
import type { Claim } from '@rollkey/sdk'
import { usage } from './cli-error.ts'
import type { Context } from './context.ts'

/** Returns the claims of `--claim name=value`. */
export function claimsOf(texts: readonly string[]): Claim[] {
  return texts.map((text) => pairOf(text, '--claim')).map(([name, value]) => ({ name, value }))
}

function pairOf(text: string, flag: string): [name: string, value: string] {
  const at = text.indexOf('=')
  if (at < 1) throw usage(`${flag} ${JSON.stringify(text)} is not a pair (expected name=value)`)
  return [text.slice(0, at), text.slice(at + 1)]
}

/** Returns the seconds of `--minutes`. */
export function secondsOf(minutes: string): number {
  const seconds = Number(minutes) * 60
  if (Number.isInteger(seconds) && seconds >= 60 && seconds <= 3_600) return seconds
  throw usage('--minutes must be a number from 1 to 60')
}

/** Returns the content of a file, whose path begins in the folder `cwd`. */
export function readText(cwd: string, file: string): string {
  try {
    return readFileSync(path.resolve(cwd, file), 'utf8')
  } catch (error) {
    throw usage(`The file ${file} cannot be read (${(error as NodeJS.ErrnoException).code})`)
  }
}

/** Options that state which tokens a new trust accepts. */
export interface RuleOptions {
  readonly github?: string
  readonly platform?: string
  readonly environment?: string
  readonly set?: readonly string[]
  readonly issuer?: string
  readonly claim?: readonly string[]
}

export const platforms = trustPresets.map(({ id }) => id)

interface Rules {
  readonly name: string
  readonly issuer: string
  readonly claims: readonly Claim[]
  readonly needsKeys: boolean
}

/** Returns the rules that the options state. Asks for the missing fields of a platform. */
export async function rulesOf(context: Context, options: RuleOptions): Promise<Rules> {
  const { github, platform, issuer, claim = [], environment } = options
  if ([github, platform, issuer].filter((each) => each !== undefined).length !== 1)
    throw usage('One of --github, --platform and --issuer is required')
  if (issuer !== undefined) {
    const claims = claimsOf(claim)
    if (claims.length === 0) throw usage('--issuer needs --claim')
    if (!URL.canParse(issuer)) throw usage(`--issuer ${JSON.stringify(issuer)} is not a URL (expected https://…)`)
    return { name: new URL(issuer).host, issuer, claims, needsKeys: false }
  }
  const preset = trustPresets.find(({ id }) => id === (github === undefined ? platform : 'github'))
  if (!preset) throw usage(`unknown --platform (expected ${platforms.join(', ')})`)
  const fields = Object.fromEntries((options.set ?? []).map((text) => pairOf(text, '--set')))
  const unknown = Object.keys(fields).find((name) => !preset.fields.some((field) => field.name === name))
  if (unknown !== undefined)
    throw usage(
      `${preset.title} has no field ${JSON.stringify(unknown)} (expected ${preset.fields.map(({ name }) => name).join(', ')})`,
    )
  const given = { ...fields, ...(environment !== undefined && { environment }) }
  const values = { ...given, ...(await ask(context, preset, given, github)) }
  const filled = fillPreset(preset, values)
  if ('missing' in filled) throw usage(`${preset.title} needs ${filled.missing.join(', ')}`)
  const name = github ?? Object.values(values)[0] ?? preset.title
  return { name: `${preset.title} ${name}`, ...filled, needsKeys: preset.needsKeys }
}

/** Asks for the required fields that are not given. */
async function ask(
  { prompt }: Context,
  { title, fields }: TrustPreset,
  given: Readonly<Record<string, string>>,
  github: string | undefined,
): Promise<Record<string, string>> {
  const answers: Record<string, string> = {}
  for (const { name, isRequired, example, standard } of fields) {
    if (!isRequired || standard !== undefined || given[name] !== undefined) continue
    const how = github === undefined ? `for example ${example}` : `gh api repos/${github} --jq .id`
    const instead = `${title} needs --set ${name}=… (${how})`
    answers[name] = await prompt.text(`${name} (${how})`, instead)
  }
  return answers
}
