import type { PullResult } from '@rollkey/sdk'
import {
  environmentFormats,
  folderFormats,
  formatNames,
  formats,
  nameRules,
  type FolderFormat,
  type TextFormat,
} from '../formats/index.ts'
import { secretNameOf } from '../formats/k8s-secret.ts'
import { isEnvironmentName, joinNames, skipInvalidNames, type Variables } from '../formats/refuse.ts'
import { refuseReserved } from '../formats/reserved.ts'
import { command } from '../frame/command.ts'
import type { Context } from '../frame/context.ts'
import { isExposed, listed } from '../frame/exposed.ts'
import { usage } from '../frame/cli-error.ts'
import { rollOptions, type RollOptions } from '../frame/roll-options.ts'
import { offlineOptions, StageValues, type OfflineOptions } from '../offline/stage-values.ts'
import { targetFile, targetFolder, writeFolder, writeTarget } from '../frame/target-file.ts'
import { countText } from '../frame/words.ts'

interface Options extends OfflineOptions, RollOptions {
  readonly format?: TextFormat | FolderFormat
  readonly out?: string
  readonly k8sName?: string
  readonly reveal?: true
  readonly skipInvalid?: true
  readonly allowReserved?: true
}

const help = 'rollkey pull --help'

export const pull = command<Options>({
  name: 'pull',
  summary: 'Print all values of a stage, or write them to a file',
  target: 'stage',
  options: [
    ['-f, --format <format>', `${formatNames.join(', ')} (default: dotenv)`, formatNames],
    ['-o, --out <file>', 'write this file atomically, readable only by you (0600)'],
    ...rollOptions,
    ...offlineOptions,
    ['--k8s-name <name>', 'name of the Kubernetes Secret (default: PROJECT-STAGE)'],
    ['--reveal', 'show the values on a terminal'],
    ['--skip-invalid', 'skip names that the format does not accept'],
    ['--allow-reserved', 'allow names such as PATH, LD_PRELOAD and NODE_OPTIONS, which decide what code runs'],
  ],
  examples: [
    ['pull -o .env', 'for tools that read a .env file; rollkey run needs none'],
    ['pull --format shell', 'for eval "$(…)" in a shell'],
    ['pull --format docker -o web.env', 'for docker run --env-file'],
    ['pull --format k8s-secret | kubectl apply -f -', 'as a Secret of Kubernetes'],
    ['pull --format systemd -o web.env', 'for EnvironmentFile= of a unit'],
    ['pull --format systemd-credentials -o web', 'one file for each variable, for LoadCredential=web:/…/web'],
    ['pull --stage prod --format json | jq keys', 'for a script; a pipe always gets the values'],
  ],
  async run(context, _, { format = 'dotenv', out: file, ...options }) {
    const destination = destinationOf(context, format, file, options)
    const values = await StageValues.open(context, options)
    try {
      await destination(await values.read())
    } finally {
      await values.close()
    }
  },
})

/** Returns what prints or writes the variables. Throws USAGE or FILE_EXISTS for options that do not go together. */
function destinationOf(
  context: Context,
  format: TextFormat | FolderFormat,
  file: string | undefined,
  options: Options,
): (pulled: PullResult) => Promise<void> {
  const { out, settings } = context
  if (isFolderFormat(format)) {
    if (file === undefined) throw usage(`--format ${format} writes several files (expected -o FOLDER)`)
    const target = targetFolder(context, file, help)
    return async ({ variables, revision }) => {
      const kept = variablesToWrite(context, format, variables, options)
      await writeFolder(target, folderFormats[format](kept))
      sayWritten(context, { file, format, names: Object.keys(kept), revision })
    }
  }
  const slugs = [settings.project?.value, settings.stage?.value]
  const secretName = format === 'k8s-secret' ? secretNameOf(options.k8sName, slugs) : ''
  const textOf = (variables: Variables): string => formats[format](variables, secretName)
  if (file === undefined) {
    return async ({ variables, revision }) => {
      const shown = out.isJson ? variables : variablesToWrite(context, format, variables, options)
      await print(context, { variables: shown, revision }, textOf, options)
    }
  }
  const target = targetFile(context, file, help)
  return async ({ variables, revision }) => {
    const kept = variablesToWrite(context, format, variables, options)
    await writeTarget(target, textOf(kept))
    sayWritten(context, { file, format, names: Object.keys(kept), revision })
  }
}

/** Returns the variables to write. Throws RESERVED_NAME. */
function variablesToWrite(
  { out }: Context,
  format: TextFormat | FolderFormat,
  variables: Variables,
  { skipInvalid, allowReserved }: Options,
): Variables {
  const isValid = nameRules[format]
  const { kept, skipped } =
    skipInvalid && isValid ? skipInvalidNames(variables, isValid) : { kept: variables, skipped: [] }
  if (skipped.length > 0) {
    const what = isValid === isEnvironmentName ? 'valid for environment variables' : `accepted by ${format}`
    out.warn(`Skipped names that are not ${what}: ${joinNames(skipped)}`)
  }
  if (!allowReserved && environmentFormats.includes(format)) refuseReserved(kept, 'rollkey pull --allow-reserved')
  return kept
}

function isFolderFormat(format: TextFormat | FolderFormat): format is FolderFormat {
  return Object.hasOwn(folderFormats, format)
}

function sayWritten(
  { out }: Context,
  written: {
    readonly file: string
    readonly format: string
    readonly names: readonly string[]
    readonly revision: number
  },
): void {
  const { file, names, revision } = written
  if (out.isJson) out.json(written)
  else out.note(`Wrote ${file}: ${countText(names.length)} (revision ${revision}).`)
}

async function print(
  context: Context,
  { variables, revision }: PullResult,
  textOf: (variables: Variables) => string,
  { reveal, offline }: Options,
): Promise<void> {
  const { out } = context
  const isMasked = out.isTerminal && !reveal
  // Without the service, the values are those of this machine, and all of them are masked.
  const all =
    isMasked && !offline
      ? await context
          .stage()
          .then(listed)
          .catch(() => [])
      : []
  const exposed = new Set(all.filter(isExposed).map(({ name }) => name))
  const shown = Object.entries(variables).map(([name, value]) => [
    name,
    out.secret(value, reveal === true || exposed.has(name)),
  ])
  const masked = Object.fromEntries(shown) as Record<string, string>
  if (out.isJson) out.json({ variables: masked, revision })
  else out.write(textOf(masked))
  if (isMasked && shown.some(([name = '']) => !exposed.has(name)))
    out.note('Secret values are hidden. Add --reveal to show them.')
}
