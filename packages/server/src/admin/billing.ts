/** The commands that manage reports to the external billing system (docs/billing.md). */
import {
  billingOfMonth,
  retryRefusedReports,
  retryReport,
  setAsideReports,
  setBillingCustomer,
  settleReport,
} from '../storage/billing.ts'
import { CommandRefused, monthAsked, orgIdOf, type AdminCommand } from './command.ts'

const notSetAside = 'No usage report with this ID is set aside: list them with rollkey-server billing.'

export const billing: AdminCommand = {
  about: 'show the usage reported to the billing system in a month (default: this month), and reports set aside',
  takes: ['[YYYY-MM]'],
  run: async (installation, [requestedMonth]) => {
    const month = monthAsked(installation, requestedMonth)
    await installation.journal?.fold()
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
}

export const billingCustomer: AdminCommand = {
  about: 'set the customer ID of an organization in the billing system',
  takes: ['ORGANIZATION', 'CUSTOMER'],
  run: async ({ sql, clock }, [name = '', customer = '']) => {
    if (!/^[!-~]{1,255}$/.test(customer)) {
      throw new CommandRefused('Invalid CUSTOMER (expected 1 to 255 visible ASCII characters, such as cus_…).')
    }
    const orgId = await orgIdOf(sql, name)
    await sql.tx((tx) => setBillingCustomer(tx, orgId, customer, clock.now()))
    return { orgId, customer }
  },
}

export const billingRetry: AdminCommand = {
  about: 'resend a usage report that was set aside (default: all that were refused)',
  takes: ['[REPORT]'],
  run: async ({ sql, clock }, [id]) => {
    if (id === undefined) {
      const rows = await sql.tx((tx) => retryRefusedReports(tx, clock.now()))
      return { again: rows.map((row) => row.id).toSorted() }
    }
    const row = await sql.tx((tx) => retryReport(tx, id, clock.now()))
    if (!row) throw new CommandRefused(notSetAside)
    return { again: [row.id] }
  },
}

export const billingSettle: AdminCommand = {
  about: 'close a usage report that was set aside, without resending it',
  takes: ['REPORT'],
  run: async ({ sql, clock }, [id = '']) => {
    const row = await sql.tx((tx) => settleReport(tx, id, clock.now()))
    if (!row) throw new CommandRefused(notSetAside)
    return { settled: row.id }
  },
}
