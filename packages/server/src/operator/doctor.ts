import { examineDeployment } from '../doctor/deployment.ts'
import { ok } from '../doctor/finding.ts'
import { linesOf, type CheckResult } from '../doctor/report.ts'
import { LiveReport, offlineCommand, type Deployment } from './command.ts'
import { isServed } from './socket.ts'

const besideService = {
  check: 'running service',
  ...ok('uses this data directory; doctor checks the settings of this shell, which may differ from its own'),
}

export const doctor = offlineCommand<{ mailTo?: string }>({
  name: 'doctor',
  summary: 'Check settings, files, store, keys and network; exits with 1 if a check fails',
  options: [['--mail-to <email>', 'address to which a test mail is sent (default: none is sent)']],
  examples: [
    ['doctor', 'changes nothing; run it after each change and daily'],
    ['doctor --json', 'for a script'],
  ],
  runOffline: async (deployment, { mailTo }) => new LiveReport(report({ ...deployment, mailTo })),
})

/** Yields the lines of each check when it is done, and returns all findings. */
async function* report(
  deployment: Deployment & { readonly mailTo: string | undefined },
): AsyncGenerator<string, object> {
  const findings: CheckResult[] = []
  for await (const finding of findingsOf(deployment)) {
    findings.push(finding)
    yield linesOf(finding)
  }
  return { good: findings.every(({ result }) => result !== 'fail'), findings }
}

async function* findingsOf(deployment: Deployment): AsyncGenerator<CheckResult> {
  const { DATABASE_URL, DATA_DIR } = deployment.config
  if (DATABASE_URL === undefined && (await isServed(DATA_DIR))) yield besideService
  yield* examineDeployment(deployment)
}
