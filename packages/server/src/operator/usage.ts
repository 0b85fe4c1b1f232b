/** The commands that show counted evaluations. */
import { callersBetween } from '../metering/usage.ts'
import { usageBetween } from '../storage/usage.ts'
import { requestedMonth, option, orgIdOf, storeCommand } from './command.ts'

export const usage = storeCommand<{ month?: string }>({
  name: 'usage',
  summary: 'Show evaluations by organization, project, stage and day of a month',
  options: [option.month],
  examples: [
    ['usage', 'of this month'],
    ['usage --month 2026-11', 'of another month'],
  ],
  async runOnStore(installation, input) {
    const month = requestedMonth(installation, input.month)
    await installation.pending.fold()
    const rows = await usageBetween(installation.sql, `${month}-01`, `${month}-31`)
    return { month, usage: rows.toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1)) }
  },
})

export const usageCallers = storeCommand<{ org: string; month?: string }>({
  name: 'usage callers',
  summary: 'Show evaluations of an organization by caller and stage in a month',
  required: [option.org],
  options: [option.month],
  examples: [['usage callers --org acme', 'who used how much this month']],
  async runOnStore(installation, { org, month: requested }) {
    const month = requestedMonth(installation, requested)
    await installation.pending.fold()
    const orgId = await orgIdOf(installation.sql, org)
    const days = { from: `${month}-01`, to: `${month}-31` }
    const { callers } = await callersBetween(installation.sql, orgId, days)
    return { month, callers }
  },
})

function keyOf(row: { organization: string; project: string | null; stage: string | null; day: string }): string {
  return JSON.stringify([row.organization, row.day, row.project, row.stage])
}
