import { examineDeployment } from '../doctor/deployment.ts'
import { tableOf } from '../doctor/report.ts'
import { offlineCommand, Report } from './command.ts'

export const doctor = offlineCommand({
  name: 'doctor',
  summary: 'Check settings, files, store, keys and network; exits with 1 if a check fails',
  examples: [
    ['doctor', 'changes nothing; run it after each change and daily'],
    ['doctor --json', 'for a script'],
  ],
  async runOffline(deployment) {
    const findings = await examineDeployment(deployment)
    const good = findings.every(({ result }) => result !== 'fail')
    return new Report({ good, findings }, tableOf(findings))
  },
})
