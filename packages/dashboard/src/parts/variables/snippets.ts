/** How programs read a variable: commands and code without a token. */
import type { StageSlugs } from '@rollkey/sdk/core'
import type { Digested } from '@rollkey/contract'
import { isRolled, type Context, type DeclaredType } from '@rollkey/contract/rules'
import { commandLines } from '../../ui/copy.tsx'
import { labels } from './labels.ts'

export interface Source extends StageSlugs {
  readonly publicUrl: string
  readonly orgSlug: string
}

const sdkPackage = '@rollkey/sdk/node'

/** How programs on Node begin, as the READMEs show it. */
export const connecting = `import { connect } from '${sdkPackage}'\n\nconst rollkey = await connect(`

/** The TypeScript type of a value by its declared type. */
const valueTypes: Readonly<Record<DeclaredType, string>> = {
  string: 'string',
  boolean: 'boolean',
  int64: 'bigint',
  float: 'number',
  date: 'Date',
  json: labels.parsedJson,
}

/** For whom a roll decides. */
export interface Asked {
  readonly seed?: string
  readonly key?: string
  readonly context?: Context
}

/** Returns snippets by the names of their tabs. `asked`: for whom a roll decides, by default for an example. */
export function snippetsOf(
  variable: Pick<Digested, 'name' | 'kind' | 'declaredType' | 'rotating'>,
  source: Source,
  asked: Asked = {},
) {
  const { name, kind, declaredType = 'string', rotating } = variable
  const { publicUrl, orgSlug, projectSlug, stageSlug } = source
  const rolls = isRolled(kind) && !rotating
  const type = valueTypes[declaredType]
  const { seed = asked.key === undefined ? 'user-1' : undefined, key, context } = asked
  const decides = {
    ...(seed !== undefined && { seed }),
    ...(key !== undefined && { key }),
    ...(context && { context }),
  }
  const body = { orgSlug, projectSlug, stageSlug, name, ...(rolls && decides) }
  const command = [
    ['get', quoted(name)].join(' '),
    `--url ${publicUrl}`,
    `--org ${orgSlug} --project ${projectSlug}`,
    `--stage ${stageSlug}`,
    ...(rolls ? [flagsOf(decides)] : []),
  ]
  return {
    CLI: commandLines([command.join(' \\\n  ')]),
    SDK: [
      `${connecting}{`,
      `  url: '${publicUrl}',`,
      `  org: '${orgSlug}',`,
      `  project: '${projectSlug}',`,
      `  stage: '${stageSlug}',`,
      '})',
      rolls
        ? `const value = await rollkey.get(${literal(name)}, { ${optionsOf(asked)} }) // ${type}`
        : `const value = await rollkey.get(${literal(name)}) // ${type}`,
    ].join('\n'),
    curl: `curl -s ${publicUrl}/v1/env/evaluate \\\n  -H "Authorization: Bearer $ROLLKEY_TOKEN" \\\n  -d ${inQuotes(JSON.stringify(body))}`,
  }
}

function flagsOf({ seed, key, context }: Asked): string {
  const flags = [
    seed !== undefined && `--seed ${quoted(seed)}`,
    key !== undefined && `--key ${quoted(key)}`,
    context && `--context ${inQuotes(JSON.stringify(context))}`,
  ]
  return flags.filter((flag) => typeof flag === 'string').join(' ')
}

/** Returns the options in code, where each user has a seed. */
function optionsOf({ key, context }: Asked): string {
  const options = {
    seed: 'user.id',
    ...(key !== undefined && { key: literal(key) }),
    ...(context && { context: JSON.stringify(context) }),
  }
  return Object.entries(options)
    .map((option) => option.join(': '))
    .join(', ')
}

/** Returns a text as one word of a shell. */
function quoted(text: string): string {
  return /^[A-Za-z0-9_.-]+$/.test(text) && !text.startsWith('-') ? text : inQuotes(text)
}

function inQuotes(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`
}

/** Returns a text as a string of JavaScript. */
function literal(text: string): string {
  return /^[^'\\\p{C}]*$/u.test(text) ? `'${text}'` : JSON.stringify(text)
}
