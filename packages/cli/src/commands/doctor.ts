import { examine, type Finding } from '../doctor/checks.ts'
import { command } from '../frame/command.ts'
import { exit } from '../frame/cli-error.ts'

export const doctor = command({
  name: 'doctor',
  summary: 'Check settings, service, clock, login and stage',
  target: 'stage',
  examples: [
    ['doctor', 'shows each finding and what to do'],
    ['doctor --json', 'for a bug report; contains no secret'],
  ],
  async run(context) {
    const { out } = context
    const findings: Finding[] = []
    for await (const finding of examine(context)) {
      findings.push(finding)
      if (out.isJson) continue
      const mark = finding.isGood ? ({ text: '✓', style: 'green' } as const) : ({ text: '✗', style: 'red' } as const)
      const help = finding.command === undefined ? '' : `; try: ${finding.command}`
      out.marked(mark, `${finding.what.padEnd(12)}${finding.found}${help}`)
    }
    if (out.isJson) out.json({ findings })
    return findings.every(({ isGood }) => isGood) ? exit.ok : exit.error
  },
})
