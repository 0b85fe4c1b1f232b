/** Freeze windows as a form has them: days and times in separate fields. */
import { type FreezeWindow, problemOfFreezeWindows, type Weekday } from '@rollkey/contract/rules'
import { labels } from './labels.ts'

export interface FreezeDraft {
  readonly repeats: 'weekly' | 'once'
  readonly zone: string
  readonly fromDay: Weekday
  /** Time of day, such as `17:00`. */
  readonly fromTime: string
  readonly toDay: Weekday
  readonly toTime: string
  /** Local date and time, such as `2026-12-20T17:00`. */
  readonly from: string
  readonly to: string
}

/** Returns a window over the weekend, which a person changes. */
export function newFreeze(zone: string): FreezeDraft {
  const weekend = { fromDay: 'fri', fromTime: '17:00', toDay: 'mon', toTime: '08:00' } as const
  return { repeats: 'weekly', zone, ...weekend, from: '', to: '' }
}

/** Returns the form's fields of a stored window. */
export function draftOf({ zone, from, to }: FreezeWindow): FreezeDraft {
  const [fromDay = '', fromTime] = from.split(' ')
  const [toDay = '', toTime] = to.split(' ')
  if (fromTime === undefined || toTime === undefined) return { ...newFreeze(zone), repeats: 'once', from, to }
  const days = { fromDay: fromDay as Weekday, toDay: toDay as Weekday }
  return { ...newFreeze(zone), ...days, fromTime, toTime }
}

/** Returns the window that a draft describes. */
export function windowOf({ repeats, zone, fromDay, fromTime, toDay, toTime, from, to }: FreezeDraft): FreezeWindow {
  return repeats === 'once' ? { zone, from, to } : { zone, from: `${fromDay} ${fromTime}`, to: `${toDay} ${toTime}` }
}

/** Returns what is wrong with a draft by the name of its field. */
export function problemsOf(draft: FreezeDraft): Partial<Record<keyof FreezeDraft, string>> {
  const field = String(problemOfFreezeWindows([windowOf(draft)])?.path[1] ?? '')
  if (field === '') return {}
  if (field === 'zone') return { zone: labels.rules.zoneProblem }
  const isWeekly = draft.repeats === 'weekly'
  if (field === 'from') return { [isWeekly ? 'fromTime' : 'from']: labels.rules.timeProblem }
  return { [isWeekly ? 'toTime' : 'to']: labels.rules.endProblem }
}
