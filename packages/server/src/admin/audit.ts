/** The commands about audit logs: docs/audit.md. */
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
  throw new CommandRefused('CHECKPOINT must be what a log line "audit checkpoint" has under "checkpoint".')
}

export const auditVerify: AdminCommand = {
  about: 'look for any change of the audit logs, and with a checkpoint that was logged for a cut of the end',
  takes: ['[ORGANIZATION]', '[CHECKPOINT]'],
  run: async ({ sql, keyring, auditRetention: retention, clock }, [name, text]) => {
    const organizations = name === undefined ? await everyOrganization(sql) : [await organizationOf(sql, name)]
    const means = { sql, publicKey: publicKeyOf(keyring), retention, nowMs: clock.now() }
    const verdict = await verifyAudit(means, organizations, checkpointAsked(text))
    return { good: verdict.problems.length === 0, ...verdict }
  },
}

export const auditKey: AdminCommand = {
  about: 'the public key of the checkpoints, which proves exported logs without Rollkey',
  takes: [],
  run: async ({ keyring }) => publicKeyOf(keyring).export({ format: 'pem', type: 'spki' }),
}

export const auditExport: AdminCommand = {
  about: 'write an audit log with its checkpoints to a new file, as lines of JSON (from an entry on)',
  takes: ['ORGANIZATION', 'FILE', '[SEQ]'],
  run: async ({ sql, checkpoints }, [name = '', file = '', asked = '1']) => {
    const organization = await organizationOf(sql, name)
    if (!/^[1-9]\d{0,14}$/.test(asked)) throw new CommandRefused('SEQ must be the number of an entry, 1 or more.')
    // It covers what is exported to the last entry.
    await checkpoints.make()
    await writeNew(file, Readable.from(exportedLines(sql, organization, Number(asked)), { objectMode: false }))
    return { file, organization: organization.slug }
  },
}

function publicKeyIn(file: string): KeyObject {
  try {
    return createPublicKey(textOf(file))
  } catch (error) {
    if (error instanceof CommandRefused) throw error
    throw new CommandRefused(`${file} is no public key: rollkey-server audit-key prints it.`)
  }
}

/** It needs no store: whoever checks the log of others has none. */
export const auditVerifyFile = {
  about: 'the same for an exported audit log, with nothing but the file and the public key',
  takes: ['FILE', 'KEY_FILE', '[CHECKPOINT]'],
  run: async ([file = '', keyFile = '', text]: readonly string[]) => {
    if (!existsSync(file)) throw new CommandRefused(`There is no file ${file}.`)
    try {
      const verdict = await verifyExport(file, publicKeyIn(keyFile), checkpointAsked(text))
      return { good: verdict.problems.length === 0, ...verdict }
    } catch (error) {
      throw error instanceof BadExport ? new CommandRefused(error.message) : error
    }
  },
}
