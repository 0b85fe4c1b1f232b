/** The commands that verify and export audit logs (docs/audit.md). */
import { createPublicKey, type KeyObject } from 'node:crypto'
import { existsSync } from 'node:fs'
import { Readable } from 'node:stream'
import { checkpointIn, publicKeyOf, type BareCheckpoint } from '../audit/checkpoint.ts'
import { exportedLines } from '../audit/export.ts'
import { BadExport, verifyExport } from '../audit/verify-export.ts'
import { verifyAudit } from '../audit/verify.ts'
import { everyOrganization } from '../storage/organizations.ts'
import { CommandRefused, organizationOf, type AdminCommand } from './command.ts'
import { textOf } from './key-file.ts'
import { writeNew } from './new-file.ts'

function checkpointAsked(text: string | undefined): BareCheckpoint | undefined {
  const checkpoint = text === undefined ? undefined : checkpointIn(text)
  if (checkpoint || text === undefined) return checkpoint
  throw new CommandRefused('Invalid CHECKPOINT (expected the field "checkpoint" of a log line "audit checkpoint").')
}

export const auditVerify: AdminCommand = {
  about: 'verify audit logs (default: all); a CHECKPOINT from the service log also detects a cut-off end',
  takes: ['[ORGANIZATION]', '[CHECKPOINT]'],
  run: async ({ sql, keyring, auditRetention: retention, clock }, [name, text]) => {
    const organizations = name === undefined ? await everyOrganization(sql) : [await organizationOf(sql, name)]
    const means = { sql, publicKey: publicKeyOf(keyring), retention, nowMs: clock.now() }
    const verdict = await verifyAudit(means, organizations, checkpointAsked(text))
    return { good: verdict.problems.length === 0, ...verdict }
  },
}

export const auditKey: AdminCommand = {
  about: 'print the public key of the audit checkpoints, which verifies exported logs without Rollkey',
  takes: [],
  run: async ({ keyring }) => publicKeyOf(keyring).export({ format: 'pem', type: 'spki' }),
}

export const auditExport: AdminCommand = {
  about: 'export an audit log with its checkpoints to a new JSON Lines file, from entry SEQ on (default: 1)',
  takes: ['ORGANIZATION', 'FILE', '[SEQ]'],
  run: async ({ sql, checkpoints }, [name = '', file = '', seq = '1']) => {
    const organization = await organizationOf(sql, name)
    if (!/^[1-9]\d{0,14}$/.test(seq))
      throw new CommandRefused('Invalid SEQ (expected the number of an entry, 1 or more).')
    // The new checkpoint covers the log to its last entry.
    await checkpoints.make()
    await writeNew(file, Readable.from(exportedLines(sql, organization, Number(seq)), { objectMode: false }))
    return { file, organization: organization.slug }
  },
}

function publicKeyIn(file: string): KeyObject {
  try {
    return createPublicKey(textOf(file))
  } catch (error) {
    if (error instanceof CommandRefused) throw error
    throw new CommandRefused(`${file} is not a public key (expected PEM): save the output of rollkey-server audit-key.`)
  }
}

/** The command that needs no store: anyone who verifies the exported log of another installation has none. */
export const auditVerifyFile = {
  about: 'verify an exported audit log with the public key in KEY_FILE, without access to its installation',
  takes: ['FILE', 'KEY_FILE', '[CHECKPOINT]'],
  run: async ([file = '', keyFile = '', text]: readonly string[]) => {
    if (!existsSync(file)) throw new CommandRefused(`${file} does not exist.`)
    try {
      const verdict = await verifyExport(file, publicKeyIn(keyFile), checkpointAsked(text))
      return { good: verdict.problems.length === 0, ...verdict }
    } catch (error) {
      throw error instanceof BadExport ? new CommandRefused(error.message) : error
    }
  },
}
