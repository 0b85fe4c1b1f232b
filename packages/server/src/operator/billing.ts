/** The commands that manage reports to the external billing system (docs/billing.md). */
import {
  billingOfMonth,
  retryRefusedReports,
  retryReport,
  setAsideReports,
  setBillingCustomer,
  settleReport,
} from '../storage/billing.ts'
import { CommandError, usage } from './command-error.ts'
import { requestedMonth, option, orgIdOf, storeCommand } from './command.ts'

function notSetAside(): CommandError {
  return new CommandError('NOT_FOUND', 'No usage report with this ID is set aside', 'billing status')
}

export const billingStatus = storeCommand<{ month?: string }>({
  name: 'billing status',
  summary: 'Show the usage reported to the billing system in a month, and reports set aside',
  options: [option.month],
  examples: [['billing status --month 2026-11', 'units reported, pending and set aside']],
  async runOnStore(installation, input) {
    const month = requestedMonth(installation, input.month)
    await installation.pending.fold()
    const rows = await billingOfMonth(installation.sql, month)
    const setAside = await setAsideReports(installation.sql)
    return {
      month,
      organizations: rows
        .map(({ set_aside, ...row }) => ({ ...row, setAside: set_aside }))
        .toSorted((a, b) => (a.organization < b.organization ? -1 : 1)),
      setAside: setAside
        .map(({ first_sent_at_ms, ...row }) => ({ ...row, maybeReceived: first_sent_at_ms !== null }))
        .toSorted((a, b) => (a.id < b.id ? -1 : 1)),
    }
  },
})

export const billingCustomer = storeCommand<{ customer: string; org: string }>({
  name: 'billing customer',
  args: [['<CUSTOMER>', 'ID of the customer in the billing system']],
  summary: 'Set the customer of an organization in the billing system',
  required: [option.org],
  examples: [['billing customer cus_1a2b --org acme', 'for its reports from now on']],
  async runOnStore({ sql, clock }, { customer, org }) {
    if (!/^[!-~]{1,255}$/.test(customer)) {
      throw usage('Invalid CUSTOMER (expected 1 to 255 visible ASCII characters, such as cus_…).', 'billing customer')
    }
    const orgId = await orgIdOf(sql, org)
    await sql.tx((tx) => setBillingCustomer(tx, orgId, customer, clock.now()))
    return { orgId, customer }
  },
})

export const billingRetry = storeCommand<{ report?: string }>({
  name: 'billing retry',
  args: [['[REPORT]', 'ID of the report (default: all that were refused)']],
  summary: 'Send a usage report again that was set aside',
  examples: [['billing retry', 'after the cause of the refusals was corrected']],
  async runOnStore({ sql, clock }, { report: id }) {
    if (id === undefined) {
      const rows = await sql.tx((tx) => retryRefusedReports(tx, clock.now()))
      return { again: rows.map((row) => row.id).toSorted() }
    }
    const row = await sql.tx((tx) => retryReport(tx, id, clock.now()))
    if (!row) throw notSetAside()
    return { again: [row.id] }
  },
})

export const billingSettle = storeCommand<{ report: string }>({
  name: 'billing settle',
  args: [['<REPORT>', 'ID of the report, which `billing status` shows']],
  summary: 'Close a usage report that was set aside, without sending it again',
  examples: [['billing settle rep_1a2b', 'the billing system has received it']],
  async runOnStore({ sql, clock }, { report: id }) {
    const row = await sql.tx((tx) => settleReport(tx, id, clock.now()))
    if (!row) throw notSetAside()
    return { settled: row.id }
  },
})
