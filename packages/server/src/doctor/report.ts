import { styleText } from 'node:util'
import { databaseChecks } from './database.ts'
import { fileChecks } from './files.ts'
import { fail, type Checks, type Finding, type Subject } from './finding.ts'
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
const nameWidth = Math.max(...Object.keys(all).map((name) => name.length))

/** A sentence for the operator where there is one. */
function failure(error: unknown): Finding {
  return fail(error instanceof Error ? error.message : 'it could not be looked at', 'Correct that, and ask again.')
}

/** All that applies, in the order of the lists. */
export async function examine(subject: Subject): Promise<CheckResult[]> {
  const findings = await Promise.all(
    Object.entries(all).map(async ([check, look]) => {
      const finding = await Promise.resolve(subject).then(look).catch(failure)
      return finding && { check, ...finding }
    }),
  )
  return findings.filter((finding) => finding !== undefined)
}

/** A line a finding, and below it what to do. */
export function tableOf(findings: readonly CheckResult[]): string {
  const lines = findings.flatMap(({ check, result, found, todo }) => [
    `${styleText(colors[result], result.padEnd(4))}  ${check.padEnd(nameWidth)}  ${found}`,
    ...(todo === undefined ? [] : [`${' '.repeat(nameWidth + 8)}${styleText('gray', todo)}`]),
  ])
  return `${lines.join('\n')}\n`
}
