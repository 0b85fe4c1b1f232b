import { within } from '../base/within.ts'
import { readStore } from '../storage/read-store.ts'
import type { CheckInput } from './finding.ts'
import { examine, type CheckResult } from './report.ts'

const closeMs = 1_000

/** Runs all checks on the deployment that the settings describe. Yields each finding when it and those before are done. Changes nothing. */
export async function* examineDeployment(
  deployment: Omit<CheckInput, 'sql' | 'storeProblem'>,
): AsyncGenerator<CheckResult> {
  const store = await readStore(deployment.config).then(
    (sql) => ({ sql }),
    ({ message }: Error) => ({ sql: undefined, storeProblem: message }),
  )
  try {
    yield* examine({ ...deployment, ...store })
  } finally {
    // A query of a check that was given up may go on.
    await within(closeMs, Promise.resolve(store.sql?.close()))
  }
}
