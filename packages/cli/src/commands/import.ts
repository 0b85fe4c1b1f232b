import { isKind, kinds } from '@rollkey/contract/rules'
import type { Client, RollkeyError, WriteEntry } from '@rollkey/sdk'
import type { ListedVariable } from '@rollkey/sdk/core'
import { CliError, failureOf, usage } from '../frame/cli-error.ts'
import { command } from '../frame/command.ts'
import type { Context } from '../frame/context.ts'
import {
  confirmCreation,
  creationOptions,
  existingIn,
  refuseInvalidNames,
  type CreationOptions,
} from '../frame/creation.ts'
import { isProposal, proposalOptions, proposeChange, type ProposalOptions } from '../frame/proposal.ts'
import { compareWithStage, forceOption, type ForceOptions } from '../frame/unchanged.ts'
import { countText } from '../frame/words.ts'
import { importAddress, programs } from '../imports/addresses.ts'
import type { ImportResult } from '../imports/entry.ts'
import { importFile } from '../imports/file.ts'
import { type Format, readers } from '../imports/index.ts'
import { batchesOf, refuseRepeated, writeAll } from '../imports/write.ts'

interface Options extends CreationOptions, ProposalOptions, ForceOptions {
  readonly from?: Source
  readonly address?: string
  readonly path?: string
  readonly dryRun?: true
  readonly yes?: true
}

/**
 * The change that the import makes to a variable. `replace-roll` and similar changes name the kind, because a variable that is replaced by
 * one of another kind loses its other values and its attributes.
 */
type Change = 'create' | 'same' | 'replace' | `replace-${string}`

type Source = Format | (typeof programs)[number]
const sources = [...new Set([...Object.keys(readers), ...programs])]

export const importCommand = command<Options>({
  name: 'import',
  args: '[FILE]',
  summary: 'Write the variables of a file, of Vault or of Unleash to a stage',
  target: 'stage',
  options: [
    [
      '--from <source>',
      `format of the file: ${Object.keys(readers).join(', ')} (default: detected); with --address: ${programs.join(', ')}`,
      sources,
    ],
    ['--address <url>', 'read from this address, with the token of VAULT_TOKEN or UNLEASH_TOKEN'],
    ['--path <path>', 'secret of Vault as MOUNT/PATH, or MOUNT/FOLDER/ for all secrets in a folder'],
    ['--dry-run', 'show the names without writing'],
    ['-y, --yes', 'skip the confirmation'],
    forceOption,
    ...proposalOptions,
    ...creationOptions,
  ],
  examples: [
    ['import .env', 'shows which variables are new or replaced, then asks for confirmation'],
    ['import secrets.json --dry-run', 'a JSON export of infisical export, doppler secrets or vault kv get'],
    ['import .env --stage dev --create', 'creates the stage if it does not exist'],
    ['import - --stage prod --yes < .env', 'from stdin, in a script'],
    ['import --from vault --address https://vault.example.com --path secret/shop/prod', 'a secret of Vault'],
    [
      'import --from unleash --address https://unleash.example.com --dry-run',
      'which flags become rolls, and which cannot',
    ],
  ],
  async run(context, [file], { from, address, path, dryRun, yes, create, anyName, force, ...options }) {
    const { out, prompt, where } = context
    const found = await (address === undefined
      ? readFile(context, file, from, path)
      : readAddress(context, file, { from, address, path }))
    const plan = await planOf(context, found, { anyName, force })
    const { client, missing, written, refusal } = plan
    const { unmapped, notes } = found
    const report = { variables: plan.rows, ...(address !== undefined && { unmapped, notes }) }
    show(context, found, plan, { isListed: written.length === 0 || prompt.isFollowed({ yes, dryRun }) })
    const count = countText(written.length)
    if (dryRun || written.length === 0) {
      if (out.isJson) out.json({ ...report, ...(!dryRun && { revision: plan.revision }) })
      return out.note(
        dryRun ? `Nothing was written. Without --dry-run, ${count} would be written to ${where}.` : 'Nothing to write.',
      )
    }
    const isProposed = isProposal(options)
    if (refusal !== undefined && !isProposed) throw incomparable(where, count, refusal)
    if (missing) await confirmCreation(context, missing, `Create ${where} and write ${count}?`, { create, yes })
    if (isProposed && !force) await refuseRepeated(context, client, written)
    const question = isProposed ? `Propose to write ${count} to ${where}?` : `Write ${count} to ${where}?`
    if (!yes && (create || !missing)) await prompt.confirm(question, '--yes')
    if (isProposed) {
      if (batchesOf(written).length > 1) throw usage('The file is too large for one change (expected parts of it)')
      return proposeChange(context, client, { entries: written }, { reason: `Import ${count}`, ...options })
    }
    const revision = await out.progress(written.length, (progress) => writeAll(client, written, progress))
    if (out.isJson) out.json({ ...report, revision })
    out.note(`Wrote ${count} to ${where} (revision ${revision}).`)
    if (out.isTerminal && addsSecrets(plan))
      out.note(
        'The new ones are secret. To see a value such as a log level in lists: rollkey set NAME --keep-value --plain',
      )
  },
})

function readFile(
  context: Context,
  file: string | undefined,
  from: Source | undefined,
  path: string | undefined,
): Promise<ImportResult> {
  if (from === 'unleash' || path !== undefined)
    throw usage('--address is missing (expected the address of the program to read)')
  if (file === undefined) throw usage('FILE is missing (expected a file, - for stdin, or --from and --address)')
  return importFile(context, file, from)
}

function readAddress(
  context: Context,
  file: string | undefined,
  { from, address, path }: { from: string | undefined; address: string; path: string | undefined },
): Promise<ImportResult> {
  if (file !== undefined) throw usage('FILE and --address do not go together (expected one of them)')
  return importAddress(context, { from, address, path })
}

/** What an import does to each variable. */
interface Plan {
  readonly client: Client
  /** The error that there is no such stage; undefined if there is one. */
  readonly missing: RollkeyError | undefined
  readonly revision: number
  readonly rows: readonly { readonly name: string; readonly change: Change; readonly details: string | undefined }[]
  /** What the stage does not have so already. */
  readonly written: readonly WriteEntry[]
  /** The error for which some values could not be compared; undefined if all were. */
  readonly refusal: RollkeyError | undefined
}

/** Returns the error for values that may be stored already, so that an import that runs again writes nothing twice. */
function incomparable(where: string, count: string, refusal: RollkeyError): CliError {
  const { code, status, requestId } = failureOf(refusal)
  const what = `The values of ${where} could not be read to leave out what it has already (${code}), so nothing was written`
  const advice = `Add --force to write ${count}, or --propose to propose that`
  return new CliError(code, `${what}. ${advice}`, { status, requestId, command: 'rollkey import --help' })
}

/** Compares what was read with the stage. Throws INVALID_NAME. */
async function planOf(
  context: Context,
  { variables }: ImportResult,
  { anyName, force }: { readonly anyName: true | undefined; readonly force: true | undefined },
): Promise<Plan> {
  const client = await context.stage()
  const found = await existingIn(client)
  const missing = found instanceof Error ? found : undefined
  const { variables: existing, revision } =
    found instanceof Error ? { variables: new Map<string, ListedVariable>(), revision: 0 } : found
  // A variable that exists keeps its exposure.
  const entries = variables.map(({ entry }) => (existing.has(entry.name) ? { ...entry, exposure: undefined } : entry))
  if (!anyName)
    refuseInvalidNames(
      entries.map(({ name }) => name),
      existing,
    )
  const { same, refusal } = force
    ? { same: new Set<string>(), refusal: undefined }
    : await compareWithStage(client, entries, existing)
  const rows = variables.map(({ entry: { name, kind }, details }) => {
    const change = same.has(name) ? 'same' : changeOf(existing.get(name)?.kind, kind)
    return { name, change, details } as const
  })
  return { client, missing, revision, rows, written: entries.filter(({ name }) => !same.has(name)), refusal }
}

/** Returns whether the stage gets a variable that it did not have, and whose value is secret. */
function addsSecrets({ rows, written }: Plan): boolean {
  const created = new Set(rows.flatMap(({ name, change }) => (change === 'create' ? name : [])))
  return written.some(({ name, exposure }) => !exposure && created.has(name))
}

/** Shows what an import does, and what it leaves out. `isListed`: variable by variable. */
function show(
  { out, where }: Context,
  { variables, unmapped, notes }: ImportResult,
  { missing, rows, written, refusal }: Plan,
  { isListed }: { readonly isListed: boolean },
): void {
  for (const note of missing ? [...notes, `The stage ${where} is new.`] : notes) out.note(note)
  if (!out.isJson && isListed) {
    const all = [
      ...rows.map(({ name, change, details }) => [name, change, details ?? '']),
      ...unmapped.map(({ name, reasons }) => [name, 'unmapped', reasons.join('; ')]),
    ]
    const hasDetails = all.some(([, , details]) => details !== '')
    out.table(
      ['name', 'change', ...(hasDetails ? ['details'] : [])],
      hasDetails ? all : all.map((row) => row.slice(0, 2)),
    )
  }
  if (refusal !== undefined)
    out.note(`The values of the stage could not be read (${refusal.code}): it may have some of these already.`)
  const same = variables.length - written.length
  if (same > 0) out.note(`Left out ${countText(same)} with the same value. Add --force to write all.`)
  if (unmapped.length > 0) out.note(`Left out ${countText(unmapped.length)} that would decide differently here.`)
}

function changeOf(existing: string | undefined, kind: string): Change {
  if (existing === undefined) return 'create'
  if (existing === kind) return 'replace'
  return `replace-${isKind(existing) ? kinds[existing].noun : existing}`
}
