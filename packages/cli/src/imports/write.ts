import { changeStates, compareCodePoints, limits, settledChangeStates } from '@rollkey/contract/rules'
import type { Client, WriteEntry } from '@rollkey/sdk'
import { CliError, exit, failureOf } from '../frame/cli-error.ts'
import type { Context } from '../frame/context.ts'

/** Maximum size of the entries of one write, with 4 KiB left for the organization, project and stage. */
const maxBytes = limits.writeBodyBytes - 4_096

/** Splits entries into as few writes as the service accepts, in their order. */
export function batchesOf(entries: readonly WriteEntry[]): WriteEntry[][] {
  const batches: WriteEntry[][] = []
  let bytes = Infinity
  for (const entry of entries) {
    const size = Buffer.byteLength(JSON.stringify(entry)) + 1
    const last = batches.at(-1)
    if (last && last.length < limits.entries && bytes + size <= maxBytes) {
      last.push(entry)
      bytes += size
    } else {
      batches.push([entry])
      bytes = size
    }
  }
  return batches
}

/**
 * Writes all entries and returns the revision. If a batch fails, the earlier ones stay written, and the error says so. Reports after
 * each batch how many entries are written.
 */
export async function writeAll(
  client: Pick<Client, 'write'>,
  entries: readonly WriteEntry[],
  report: (written: number) => void = () => {},
): Promise<number> {
  let written = 0
  let revision = 0
  for (const batch of batchesOf(entries)) {
    try {
      ;({ revision } = await client.write({ entries: batch }))
    } catch (error) {
      if (written === 0) throw error
      const { code, what, status, command, requestId } = failureOf(error, 'rollkey import --help')
      const message = `${what}. The first ${written} of ${entries.length} variables were written. Those from ${batch[0]?.name} on were not`
      throw new CliError(code, message, { status, command, requestId })
    }
    written += batch.length
    report(written)
  }
  return revision
}

/** Throws ALREADY_PROPOSED if an open change of the stage has the same names, so that an import that runs again proposes nothing. */
export async function refuseRepeated(
  { settings, where }: Context,
  client: Client,
  entries: readonly WriteEntry[],
): Promise<void> {
  const states = changeStates.filter((state) => !settledChangeStates.includes(state))
  const at = { projectSlug: settings.project?.value, stageSlug: settings.stage?.value }
  const { changes } = await client.manage.changes.list({ ...at, states })
  const names = entries.map(({ name }) => name).toSorted(compareCodePoints)
  const open = changes.find(
    (change) => change.nameCount === names.length && change.names.every((name, index) => name === names[index]),
  )
  if (!open) return
  throw new CliError(
    'ALREADY_PROPOSED',
    `${open.id} proposes the same variables of ${where}. Withdraw it first, or add --force to propose another`,
    { status: exit.invalid, command: `rollkey change show ${open.id}` },
  )
}
