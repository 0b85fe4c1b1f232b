import type { Client, WriteEntry } from '@rollkey/sdk'
import { CliError, failureOf } from '../frame/cli-error.ts'

/** Of one write (RULINGS, "Sizes"), but for 4 KiB in which organization, project and stage have their place. */
const maxEntries = 1_000
const maxBytes = 4 * 1024 * 1024 - 4096

/** As few writes as the service takes, in the order of the entries. */
export function batchesOf(entries: readonly WriteEntry[]): WriteEntry[][] {
  const batches: WriteEntry[][] = []
  let bytes = Infinity
  for (const entry of entries) {
    const size = Buffer.byteLength(JSON.stringify(entry)) + 1
    const last = batches.at(-1)
    if (last && last.length < maxEntries && bytes + size <= maxBytes) {
      last.push(entry)
      bytes += size
    } else {
      batches.push([entry])
      bytes = size
    }
  }
  return batches
}

/** All that has been written stays when a later batch fails; the failure then says how far it came. Gives the revision. */
export async function writeAll(client: Pick<Client, 'write'>, entries: readonly WriteEntry[]): Promise<number> {
  let written = 0
  let revision = 0
  for (const batch of batchesOf(entries)) {
    try {
      ;({ revision } = await client.write({ entries: batch }))
    } catch (error) {
      if (written === 0) throw error
      const { code, what, status, command, requestId } = failureOf(error, 'rollkey import --help')
      const message = `${what}. The first ${written} of ${entries.length} variables are written; the rest from ${batch[0]?.name} on is not`
      throw new CliError(code, message, { status, command, requestId })
    }
    written += batch.length
  }
  return revision
}
