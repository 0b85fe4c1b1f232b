import { styleText } from 'node:util'
import { operatorProgram } from '../base/shipped-files.ts'
import { companyChecks } from './company.ts'
import { databaseChecks } from './database.ts'
import { fileChecks } from './files.ts'
import { fail, type Checks, type Finding, type CheckInput } from './finding.ts'
import { machineChecks } from './machine.ts'
import { networkChecks } from './network.ts'
import { settingChecks } from './settings.ts'
import { storeChecks } from './store.ts'

export interface CheckResult extends Finding {
  readonly check: string
}

const all: Checks = {
  ...machineChecks,
  ...fileChecks,
  ...storeChecks,
  ...databaseChecks,
  ...networkChecks,
  ...settingChecks,
}
const colors = { ok: 'green', warn: 'yellow', fail: 'red' } as const

/** Returns a failed finding with the message of the error. */
function failure(error: unknown): Finding {
  return fail(
    error instanceof Error ? error.message : 'the check itself failed',
    `Fix this, and run ${operatorProgram} doctor again.`,
  )
}

/** Runs all checks. Returns the findings of those that apply, in the order of the lists. */
export async function examine(subject: CheckInput): Promise<CheckResult[]> {
  const findings = await Promise.all(
    Object.entries({ ...all, ...companyChecks(subject.config) }).map(async ([check, run]) => {
      const finding = await Promise.resolve(subject).then(run).catch(failure)
      return finding && { check, ...finding }
    }),
  )
  return findings.filter((finding) => finding !== undefined)
}

/** Returns one line per finding, followed by its advice if it has any. */
export function tableOf(findings: readonly CheckResult[]): string {
  const nameWidth = Math.max(...findings.map(({ check }) => check.length))
  const lines = findings.flatMap(({ check, result, found, todo }) => [
    `${styleText(colors[result], result.padEnd(4))}  ${check.padEnd(nameWidth)}  ${found}`,
    ...(todo === undefined ? [] : [`${' '.repeat(nameWidth + 8)}${styleText('gray', todo)}`]),
  ])
  return `${lines.join('\n')}\n`
}
