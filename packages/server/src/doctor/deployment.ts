import { readStore } from '../storage/read-store.ts'
import type { CheckInput } from './finding.ts'
import { examine, type CheckResult } from './report.ts'

/** Runs all checks on the deployment that the settings describe. Changes nothing. */
export async function examineDeployment(deployment: Omit<CheckInput, 'sql'>): Promise<CheckResult[]> {
  const sql = await readStore(deployment.config)
  try {
    return await examine({ ...deployment, sql })
  } finally {
    await sql?.close()
  }
}
