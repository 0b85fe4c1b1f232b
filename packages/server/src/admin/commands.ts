/** What an operator can ask. A command works on the open store, in the server or, if none runs, on its own. */
import { z } from 'zod'
import { dayOf, type Clock } from '../base/clock.ts'
import { schemaVersion } from '../storage/migrate.ts'
import { countAll } from '../storage/organizations.ts'
import type { Sql } from '../storage/sql.ts'
import { usageBetween } from '../storage/usage.ts'

export interface Installation {
  readonly sql: Sql
  readonly clock: Clock
  /** Whether a server serves this store now. */
  readonly serving: boolean
}

export interface AdminCommand {
  readonly about: string
  /** Names of the arguments, all optional. */
  readonly takes: readonly string[]
  /** A JSON value. Throws CommandRefused. */
  run(installation: Installation, args: readonly string[]): Promise<unknown>
}

/** A sentence for the operator. */
export class CommandRefused extends Error {}

const month = z.string().regex(/^\d{4}-(0[1-9]|1[0-2])$/)

const status: AdminCommand = {
  about: 'whether a server runs, the schema, and how much is stored',
  takes: [],
  run: async ({ sql, serving }) => ({ serving, schema: await schemaVersion(sql), ...(await countAll(sql)) }),
}

const usage: AdminCommand = {
  about: 'evaluations per organization, project, stage and day of a month (default: this one)',
  takes: ['YYYY-MM'],
  run: async ({ sql, clock }, [asked]) => {
    const parsed = month.safeParse(asked ?? dayOf(clock.now()).slice(0, 7))
    if (!parsed.success) throw new CommandRefused('The month must look like 2026-11.')
    const rows = await usageBetween(sql, `${parsed.data}-01`, `${parsed.data}-31`)
    const sorted = rows.toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1))
    return { month: parsed.data, usage: sorted }
  },
}

function keyOf(row: { organization: string; project: string | null; stage: string | null; day: string }): string {
  return JSON.stringify([row.organization, row.day, row.project, row.stage])
}

export const commands: Readonly<Record<string, AdminCommand>> = { status, usage }
