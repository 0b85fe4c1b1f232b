/** Upgrades of the embedded store: the copies from before, to which the operator can go back, and the rehearsal. */
import { existsSync, statSync } from 'node:fs'
import { readdir, rename, rm, statfs } from 'node:fs/promises'
import path from 'node:path'
import { createLog, reasonOf, type Log } from '../base/log.ts'
import { copyDatabase } from './copy-database.ts'
import { migrate, newestSchema, schemaVersion } from './migrate.ts'
import { openSqlite } from './sqlite.ts'
import type { Sql } from './sql.ts'
import { withWorkFolder } from './work-folder.ts'

const databases = ['rollkey.db', 'identity.db']
const copyPattern = /^(?:rollkey|identity)\.db\.schema-(\d+)$/
/** Schemas of which copies are kept. An upgrade that is killed and continued copies the schema that it had reached, too. */
const keptSchemas = 3
const mebibyte = 1024 * 1024

/** The bytes that copies of the databases take, and the bytes that the disk has free. */
export interface DiskNeed {
  readonly bytes: number
  readonly freeBytes: number
}

function databasesIn(dataDir: string): string[] {
  return databases.filter((name) => existsSync(path.join(dataDir, name)))
}

export async function diskNeedOf(dataDir: string): Promise<DiskNeed> {
  const files = databasesIn(dataDir).flatMap((name) => [name, `${name}-wal`])
  const sizes = files.map((name) => statSync(path.join(dataDir, name), { throwIfNoEntry: false })?.size ?? 0)
  const { bavail, bsize } = await statfs(dataDir)
  return { bytes: sizes.reduce((sum, size) => sum + size, 0), freeBytes: bavail * bsize }
}

/** Returns what to do if the disk has too little room for the copies, or undefined. */
export function lackOfRoom({ bytes, freeBytes }: DiskNeed): string | undefined {
  if (freeBytes >= bytes) return undefined
  const [needed, free] = [Math.ceil(bytes / mebibyte), Math.floor(freeBytes / mebibyte)]
  return `The copies of the databases from before the upgrade need ${needed} MiB, and the disk has ${free} MiB free: free some space, and start again.`
}

/**
 * Copies the databases before an upgrade changes them. Throws an error with a message for the operator, and then nothing
 * was changed.
 */
export async function copyBeforeUpgrade(dataDir: string, sql: Sql, log: Log): Promise<void> {
  const schema = await schemaVersion(sql)
  if (schema === 0 || schema >= newestSchema()) return
  const problem = lackOfRoom(await diskNeedOf(dataDir))
  if (problem !== undefined) throw new Error(`${problem} Nothing was changed.`)
  for (const name of databasesIn(dataDir)) {
    const copy = `${name}.schema-${schema}`
    await copyWhole(path.join(dataDir, name), path.join(dataDir, copy)).catch((error: unknown) => {
      const message = `${name} cannot be copied to ${copy} before its upgrade (${reasonOf(error)}): free some space or correct the access to ${dataDir}, and start again. Nothing was changed.`
      throw new Error(message, { cause: error })
    })
    log.info('copied a database before its upgrade', { name: copy })
  }
}

/** Copies a database completely or not at all. */
async function copyWhole(from: string, to: string): Promise<void> {
  const unfinished = `${to}.unfinished`
  await rm(unfinished, { force: true }) // left by a killed upgrade
  try {
    await copyDatabase(from, unfinished)
    await rename(unfinished, to)
  } catch (error) {
    await rm(unfinished, { force: true })
    throw error
  }
}

/** Deletes copies of earlier upgrades, except for those of the newest schemas. Call it after an upgrade. */
export async function deleteOldCopies(dataDir: string): Promise<void> {
  const copies = (await readdir(dataDir)).flatMap((name) => {
    const schema = copyPattern.exec(name)?.[1]
    return schema === undefined ? [] : [{ name, schema: Number(schema) }]
  })
  const kept = new Set([...new Set(copies.map(({ schema }) => schema))].toSorted((a, b) => b - a).slice(0, keptSchemas))
  for (const { name } of copies.filter(({ schema }) => !kept.has(schema))) await rm(path.join(dataDir, name))
}

/** Migrates a copy of the store, which may be in use, and returns how long that took in milliseconds. */
export function rehearseUpgrade(dataDir: string, nowMs: number): Promise<number> {
  return withWorkFolder(dataDir, async (folder) => {
    const copy = path.join(folder, 'rollkey.db')
    await copyDatabase(path.join(dataDir, 'rollkey.db'), copy)
    const sql = openSqlite(copy)
    const startedAt = performance.now()
    await migrate(sql, nowMs, createLog('silent')).finally(() => sql.close())
    return Math.round(performance.now() - startedAt)
  })
}
