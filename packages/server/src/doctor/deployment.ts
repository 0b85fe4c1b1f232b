import { readStore } from '../storage/read-store.ts'
import type { CheckInput } from './finding.ts'
import { examine, type CheckResult } from './report.ts'

/** Runs all checks on the deployment that the settings describe. Changes nothing. */
export async function examineDeployment(deployment: Omit<CheckInput, 'sql' | 'storeProblem'>): Promise<CheckResult[]> {
  const store = await readStore(deployment.config).then(
    (sql) => ({ sql }),
    ({ message }: Error) => ({ sql: undefined, storeProblem: message }),
  )
  try {
    return await examine({ ...deployment, ...store })
  } finally {
    await store.sql?.close()
  }
}
