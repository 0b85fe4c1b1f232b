/** Test nodes: the service from the variables down, on a real store. */
import { randomBytes } from 'node:crypto'
import { kinds, limits, type WriteEntry } from '@rollkey/contract'
import { Declarations } from '../../src/declarations/declarations.ts'
import type { Actor } from '../../src/storage/actor.ts'
import { singleWriter } from '../../src/consistency/read-validator.ts'
import { FairQueue } from '../../src/concurrency/fair-queue.ts'
import { Keyring } from '../../src/crypto/keyring.ts'
import { localKmsOfSetting } from '../../src/crypto/kms/local.ts'
import { JournalCounter } from '../../src/metering/journal-counter.ts'
import { Ledger } from '../../src/metering/ledger.ts'
import { NodeRows } from '../../src/metering/node-rows.ts'
import { unlimited } from '../../src/metering/plans.ts'
import { RoundCounter } from '../../src/metering/round-counter.ts'
import { countingValidator, type CountingValidator } from '../../src/metering/joined-counting.ts'
import { insertOrganization } from '../../src/storage/organizations.ts'
import type { Sql } from '../../src/storage/sql.ts'
import type { UsageJournal } from '../../src/storage/usage-journal.ts'
import type { Change } from '../../src/variables/changes/change.ts'
import { changeOfEntries, type EntriesRequest } from '../../src/variables/changes/entries.ts'
import type { StageSize } from '../../src/stages/stage-size.ts'
import { Stages, type StageRef } from '../../src/stages/stages.ts'
import { pauseRamps } from '../../src/changes/pause-ramps.ts'
import type { WriteResult } from '../../src/variables/plan-write.ts'
import { VariableWriter } from '../../src/variables/write.ts'
import { TestClock } from '../../testkit/clock.ts'
import { temporaryJournal, temporaryStore } from '../storage/temporary.ts'

const kms = localKmsOfSetting(randomBytes(32).toString('base64'))

export const startMs = Date.UTC(2026, 8, 21, 12)
export const live: StageRef = { orgId: 'org_1', projectSlug: 'shop', stageSlug: 'live' }

export const actor: Actor = {
  orgId: 'org_1',
  id: 'user_1',
  how: 'session',
  client: 'cli session',
  requestId: undefined,
}

export interface Node {
  readonly keyring: Keyring
  readonly stages: Stages
  readonly ledger: Ledger
  readonly writer: VariableWriter
  /** Resolves when the tables contain all counted usage. */
  readonly settle: () => Promise<void>
  readonly write: (request: Partial<EntriesRequest>, address?: StageRef) => Promise<WriteResult>
  readonly make: (change: Change, address?: StageRef) => Promise<WriteResult>
  /** Returns the current plaintexts of each variable's roles from this node. */
  readonly read: (address?: StageRef) => Promise<Record<string, string[]>>
  /** Returns the same with the revision of the stage. */
  readonly readAll: (address?: StageRef) => Promise<{ variables: Record<string, string[]>; revision: number }>
}

/** Opens a store with the organizations org_1 and org_2, and a frozen clock. */
export async function newStore(open = temporaryStore): Promise<{ sql: Sql; clock: TestClock }> {
  const clock = new TestClock()
  clock.freezeAt(startMs)
  const sql = await open(startMs)
  await sql.tx(async (tx) => {
    for (const id of ['org_1', 'org_2']) await insertOrganization(tx, { id, idpOrgId: id, slug: id, nowMs: startMs })
  })
  return { sql, clock }
}

/** How one of several nodes validates reads and counts. */
export interface SharedCounting {
  readonly validator: CountingValidator
  readonly rows: NodeRows
}

export function newSharedCounting(sql: Sql, clock: TestClock, memberTable?: string, plan = unlimited): SharedCounting {
  const rows = new NodeRows({ sql, plan, clock })
  return { rows, validator: countingValidator({ sql, clock, rows, memberTable }) }
}

/** Starts one of several nodes on a shared database. */
export function newSharedNode(sql: Sql, clock: TestClock, maxSize?: StageSize): Promise<Node> {
  return newNode(sql, clock, unlimited, newSharedCounting(sql, clock), maxSize)
}

export async function newNode(
  sql: Sql,
  clock: TestClock,
  plan = unlimited,
  shared?: SharedCounting,
  maxSize: StageSize = { variables: limits.stageVariables, bytes: limits.stageBytes },
): Promise<Node> {
  const keyring = await Keyring.open(sql, kms, startMs)
  const stages = new Stages({ sql, keyring, validator: shared?.validator ?? singleWriter })
  const journal = shared ? undefined : await temporaryJournal(sql)
  const parts = { sql, plan, clock }
  const counter = shared
    ? new RoundCounter({ ...parts, ...shared })
    : new JournalCounter({ ...parts, journal: journal as UsageJournal })
  const ledger = new Ledger(counter, plan)
  const turns = new FairQueue()
  const declarations = new Declarations({ sql, clock, logicalClock: stages.logicalClock })
  const writer = new VariableWriter({
    sql,
    stages,
    keyring,
    meter: ledger,
    clock,
    maxSize,
    turns,
    onRolls: pauseRamps,
    declarations,
  })
  const make = (change: Change, address = live) => writer.write(address, actor, change)
  return {
    keyring,
    stages,
    ledger,
    writer,
    settle: async () => journal?.fold(),
    write: (request, address) =>
      make(changeOfEntries({ mode: 'upsert', entries: [], deletes: [], ...request }), address),
    make,
    read: async (address) => (await readAll(address)).variables,
    readAll,
  }

  async function readAll(address = live) {
    const stage = await stages.current(address)
    const read = [...(stage?.variables.values() ?? [])].map(({ name, kind, payloads }) => [
      name,
      kinds[kind].values.map(({ role }, index) =>
        stage?.sealer.open(name, kind, role, payloads[index] ?? Buffer.alloc(0)).toString(),
      ),
    ])
    return { variables: Object.fromEntries(read) as Record<string, string[]>, revision: stage?.revision ?? 0 }
  }
}

export function secret(name: string, value = 'v', more: Partial<WriteEntry> = {}): WriteEntry {
  return { name, kind: 'secret', value, ...more } as WriteEntry
}

export function abRoll(name: string, chance = 0.5, more: Partial<WriteEntry> = {}): WriteEntry {
  return { name, kind: 'ab_roll', valueA: 'a', valueB: 'b', chance, ...more } as WriteEntry
}
