import { isKind, kinds } from '@rollkey/contract/rules'
import type { ListedVariable } from '@rollkey/sdk/core'
import { countText } from '../diff/transfer.ts'
import { usage } from '../frame/cli-error.ts'
import { command } from '../frame/command.ts'
import {
  confirmCreation,
  creationOptions,
  existingIn,
  refuseInvalidNames,
  type CreationOptions,
} from '../frame/creation.ts'
import { isProposal, proposalOptions, proposeChange, type ProposalOptions } from '../frame/proposal.ts'
import { compareWithStage, forceOption, type ForceOptions } from '../frame/unchanged.ts'
import { importFrom } from '../imports/file.ts'
import { readers } from '../imports/index.ts'
import { batchesOf, refuseRepeated, writeAll } from '../imports/write.ts'

interface Options extends CreationOptions, ProposalOptions, ForceOptions {
  readonly from?: string
  readonly dryRun?: true
  readonly yes?: true
}

/**
 * The change that the import makes to a variable. `replace-roll` and similar changes name the kind, because a replaced variable
 * that is not a secret loses its other values and its attributes.
 */
type Change = 'create' | 'replace' | `replace-${string}`

export const importCommand = command<Options>({
  name: 'import',
  args: '<FILE>',
  summary: 'Write the variables of a file to a stage',
  target: 'stage',
  options: [
    ['--from <source>', `format of the file: ${Object.keys(readers).join(', ')} (default: detected)`],
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
  ],
  proposal: 'import FILE --propose',
  async run(context, [file = ''], { from, dryRun, yes, create, anyName, force, ...options }) {
    const { out, prompt, where } = context
    const { entries, notes } = await importFrom(context, file, from)
    const client = await context.stage()
    const found = await existingIn(client)
    const missing = found instanceof Error ? found : undefined
    const { variables: existing, revision: before } =
      found instanceof Error ? { variables: new Map<string, ListedVariable>(), revision: 0 } : found
    if (!anyName)
      refuseInvalidNames(
        entries.map(({ name }) => name),
        existing,
        'import',
      )
    const secrets = entries.map(({ name, value }) => ({ kind: 'secret' as const, name, value }))
    const { same, refusal } = force
      ? { same: new Set<string>(), refusal: undefined }
      : await compareWithStage(client, secrets, existing)
    const written = secrets.filter(({ name }) => !same.has(name))
    const variables = entries.map(({ name }) => ({
      name,
      change: same.has(name) ? 'same' : changeOf(existing.get(name)?.kind),
    }))
    for (const note of missing ? [...notes, `The stage ${where} is new.`] : notes) out.note(note)
    if (!out.isJson) {
      const rows = variables.map(({ name, change }) => [name, change])
      out.table(['name', 'change'], rows)
    }
    if (refusal !== undefined)
      out.note(
        `The values of the stage could not be read (${refusal}), so secrets are written whether or not they differ.`,
      )
    if (same.size > 0) out.note(`Left out ${countText(same.size)} with the same value. Add --force to write all.`)
    const count = countText(written.length)
    if (dryRun || written.length === 0) {
      if (out.isJson) out.json({ variables, ...(!dryRun && { revision: before }) })
      return out.note(
        dryRun ? `Nothing was written. Without --dry-run, ${count} would be written to ${where}.` : 'Nothing to write.',
      )
    }
    if (missing) await confirmCreation(context, missing, `Create ${where} and write ${count}?`, { create, yes })
    const isProposed = isProposal(options)
    if (isProposed && !force) await refuseRepeated(context, client, written)
    const question = isProposed ? `Propose to write ${count} to ${where}?` : `Write ${count} to ${where}?`
    if (!yes && (create || !missing)) await prompt.confirm(question, '--yes')
    if (isProposed) {
      if (batchesOf(written).length > 1) throw usage('The file is too large for one change (expected parts of it)')
      return proposeChange(context, client, { entries: written }, { reason: `Import ${count}`, ...options })
    }
    const revision = await out.progress(written.length, (report) => writeAll(client, written, report))
    if (out.isJson) out.json({ variables, revision })
    out.note(`Wrote ${count} to ${where} (revision ${revision}).`)
  },
})

function changeOf(kind: string | undefined): Change {
  if (kind === undefined) return 'create'
  if (kind === 'secret') return 'replace'
  return `replace-${isKind(kind) ? kinds[kind].noun : kind}`
}
