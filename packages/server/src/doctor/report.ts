import { styleText } from 'node:util'
import { within } from '../base/within.ts'
import { operatorProgram } from '../base/shipped-files.ts'
import { companyChecks } from './company.ts'
import { databaseChecks } from './database.ts'
import { fileChecks } from './files.ts'
import { fail, warn, type Check, type Checks, type Finding, type CheckInput } from './finding.ts'
import { machineChecks } from './machine.ts'
import { networkChecks } from './network.ts'
import { replicaChecks } from './replica.ts'
import { settingChecks } from './settings.ts'
import { storeChecks } from './store.ts'

export interface CheckResult extends Finding {
  readonly check: string
}

export const allChecks: Checks = {
  ...machineChecks,
  ...fileChecks,
  ...replicaChecks,
  ...storeChecks,
  ...databaseChecks,
  ...networkChecks,
  ...settingChecks,
}
/** How long a check may take. All run at once. */
const maxCheckMs = 20_000
const gaveUp = warn(
  `not known: the check took longer than ${maxCheckMs / 1_000} s`,
  'Run it again when the machine, the database and the network have less to do.',
)
const colors = { ok: 'green', warn: 'yellow', fail: 'red' } as const

/** Returns a failed finding with the message of the error. */
function failure(error: unknown): Finding {
  return fail(
    error instanceof Error ? error.message : 'the check itself failed',
    `Fix this, and run ${operatorProgram} doctor again.`,
  )
}

/** Runs a check, and gives up on it after the limit. */
async function findingOf(check: string, run: Check, subject: CheckInput): Promise<CheckResult | undefined> {
  const work = Promise.resolve(subject).then(run).catch(failure)
  const outcome = await within(maxCheckMs, work)
  if (outcome === 'late') return { check, ...gaveUp }
  return outcome && { check, ...outcome }
}

/** Runs all checks. Yields the findings of those that apply, in the order of the lists, each when it and those before are done. */
export async function* examine(subject: CheckInput, checks: Checks = allChecks): AsyncGenerator<CheckResult> {
  const running = Object.entries({ ...checks, ...companyChecks(subject.config) }).map(([check, run]) =>
    findingOf(check, run, subject),
  )
  for (const work of running) {
    const finding = await work
    if (finding) yield finding
  }
}

const nameWidth = Math.max(...Object.keys(allChecks).map((check) => check.length))

/** Returns a line about a finding, followed by its advice if it has any. */
export function linesOf({ check, result, found, todo }: CheckResult): string {
  const advice = todo === undefined ? '' : `${' '.repeat(nameWidth + 8)}${styleText('gray', todo)}\n`
  return `${styleText(colors[result], result.padEnd(4))}  ${check.padEnd(nameWidth)}  ${found}\n${advice}`
}
