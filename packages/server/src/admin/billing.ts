/** Commands about the outside billing system: docs/billing.md. */
import {
  billingOfMonth,
  retryRefusedReports,
  retryReport,
  setAsideReports,
  setBillingCustomer,
  settleReport,
} from '../storage/billing.ts'
import { CommandRefused, monthAsked, orgIdOf, type AdminCommand } from './command.ts'

const notSetAside = 'There is no such usage report set aside: the command billing shows those that are.'

export const billing: AdminCommand = {
  about: 'what of a month (default: this one) is reported to the billing system, and what is set aside',
  takes: ['[YYYY-MM]'],
  run: async (installation, [asked]) => {
    const month = monthAsked(installation, asked)
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
  about: "set an organization's customer id at the billing system",
  takes: ['ORGANIZATION', 'CUSTOMER'],
  run: async ({ sql, clock }, [name = '', customer = '']) => {
    if (!/^[!-~]{1,255}$/.test(customer)) {
      throw new CommandRefused('CUSTOMER must be 1 to 255 visible ASCII characters, such as cus_….')
    }
    const orgId = await orgIdOf(sql, name)
    await sql.tx((tx) => setBillingCustomer(tx, orgId, customer, clock.now()))
    return { orgId, customer }
  },
}

export const billingRetry: AdminCommand = {
  about: 'send a usage report again that was set aside (default: all that were refused)',
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
  about: 'do not send a usage report again that was set aside: a person has seen to it',
  takes: ['REPORT'],
  run: async ({ sql, clock }, [id = '']) => {
    const row = await sql.tx((tx) => settleReport(tx, id, clock.now()))
    if (!row) throw new CommandRefused(notSetAside)
    return { settled: row.id }
  },
}
