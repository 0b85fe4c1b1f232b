/** The commands that verify and export audit logs (docs/audit.md). */
import { createPublicKey, type KeyObject } from 'node:crypto'
import { existsSync } from 'node:fs'
import { Readable } from 'node:stream'
import { parseCheckpoint, publicKeyOf, type BareCheckpoint } from '../audit/checkpoint.ts'
import { exportedLines } from '../audit/export.ts'
import { BadExport, isStreamed, verifyExport } from '../audit/verify-export.ts'
import { verifyStream } from '../audit/verify-stream.ts'
import { verifyAudit } from '../audit/verify.ts'
import { everyOrganization } from '../storage/organizations.ts'
import { CommandError, program, usage } from './command-error.ts'
import { offlineCommand, organizationOf, storeCommand } from './command.ts'
import { readBytes } from './key-file.ts'
import { writeNewFile } from './new-file.ts'

const checkpointOption = [
  '--checkpoint <checkpoint>',
  'field "checkpoint" of a log line "audit checkpoint"; also detects a removed end',
] as const

function requestedCheckpoint(text: string | undefined, command: string): BareCheckpoint | undefined {
  const checkpoint = text === undefined ? undefined : parseCheckpoint(text)
  if (checkpoint || text === undefined) return checkpoint
  throw usage('Invalid --checkpoint (expected the field "checkpoint" of a log line "audit checkpoint").', command)
}

export const auditVerify = storeCommand<{ org?: string; checkpoint?: string }>({
  name: 'audit verify',
  summary: 'Verify audit logs; exits with 1 if one is not intact',
  options: [['--org <org>', 'slug or ID of the organization (default: all)'], checkpointOption],
  examples: [
    ['audit verify', 'all organizations'],
    ['audit verify --org acme --checkpoint …', 'also that it has all that the checkpoint covers'],
  ],
  async runOnStore({ sql, keyring, auditRetention: retention, clock }, { org, checkpoint }) {
    const organizations = org === undefined ? await everyOrganization(sql) : [await organizationOf(sql, org)]
    const parts = { sql, publicKey: publicKeyOf(keyring), retention, nowMs: clock.now() }
    const verdict = await verifyAudit(parts, organizations, requestedCheckpoint(checkpoint, 'audit verify'))
    return { good: verdict.problems.length === 0, ...verdict }
  },
})

export const auditKey = storeCommand({
  name: 'audit key',
  summary: 'Print the public key of the checkpoints, which verifies exported audit logs',
  examples: [['audit key > audit.pub', 'PEM; it stays the same']],
  runOnStore: async ({ keyring }) => publicKeyOf(keyring).export({ format: 'pem', type: 'spki' }),
})

export const auditExport = storeCommand<{ org: string; file: string; from?: string }>({
  name: 'audit export',
  args: [
    ['<ORG>', 'slug or ID of the organization'],
    ['<FILE>', 'new file'],
  ],
  summary: 'Export an audit log with its checkpoints to a new JSON Lines file',
  options: [['--from <seq>', 'number of the first entry (default: 1)']],
  examples: [['audit export acme audit.jsonl', 'everything, for an auditor']],
  async runOnStore({ sql, checkpoints }, { org, file, from = '1' }) {
    const organization = await organizationOf(sql, org)
    if (!/^[1-9]\d{0,14}$/.test(from))
      throw usage('Invalid --from (expected the number of an entry, 1 or more).', 'audit export')
    // The new checkpoint covers the log to its last entry.
    await checkpoints.signAll()
    await writeNewFile(file, Readable.from(exportedLines(sql, organization, Number(from)), { objectMode: false }))
    return { file, organization: organization.slug }
  },
})

function readPublicKey(file: string): KeyObject {
  try {
    return createPublicKey(readBytes(file))
  } catch (error) {
    if (error instanceof CommandError) throw error
    const message = `${file} is not a public key (expected PEM): save the output of ${program} audit key.`
    throw new CommandError('INVALID_FILE', message)
  }
}

/** The command that needs no store: anyone who verifies the exported log of another installation has none. */
export const auditVerifyFile = offlineCommand<{ file: string; keyFile: string; checkpoint?: string }>({
  name: 'audit verify-file',
  args: [['<FILE>', 'exported audit log, or what a receiver of the audit stream has written']],
  summary: 'Verify an exported or streamed audit log without its installation; exits with 1 if it is not intact',
  required: [['--key-file <file>', 'public key, which `audit key` printed']],
  options: [checkpointOption],
  examples: [['audit verify-file audit.jsonl --key-file audit.pub', 'on any machine']],
  async runOffline(_, { file, keyFile, checkpoint }) {
    if (!existsSync(file)) throw new CommandError('NOT_FOUND', `There is no file ${file}: check its name.`)
    try {
      const verify = (await isStreamed(file)) ? verifyStream : verifyExport
      const verdict = await verify(file, readPublicKey(keyFile), requestedCheckpoint(checkpoint, 'audit verify-file'))
      return { good: verdict.problems.length === 0, ...verdict }
    } catch (error) {
      throw error instanceof BadExport ? new CommandError('INVALID_FILE', error.message) : error
    }
  },
})
