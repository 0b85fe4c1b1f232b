import { findChange } from '../frame/found-change.ts'
import { command } from '../frame/command.ts'
import { usage } from '../frame/cli-error.ts'
import { nextText } from '../frame/proposal.ts'
import { timeOf, zoneOf, zoneOption } from '../frame/time.ts'

interface Options {
  readonly never?: true
  readonly zone?: string
}

export const schedule = command<Options>({
  name: 'schedule',
  args: '<CHANGE> [TIME]',
  summary: 'Set the time at which the service applies a change that you proposed',
  completes: ['change', undefined],
  target: 'stage',
  options: [['--never', 'it waits until someone applies it'], zoneOption],
  examples: [
    ['schedule chg_N3iXqTsLr2c1vB8eYzQa "2027-01-31 09:00" --zone Europe/Berlin', 'voids its approvals'],
    ['schedule chg_N3iXqTsLr2c1vB8eYzQa 2h', 'two hours from now'],
    ['set LIMIT 25 --at 09:00', 'proposes a change with a time at once'],
  ],
  async run(context, [id = '', time], { never, zone: named }) {
    const { out } = context
    if ((time === undefined) === (never === undefined)) throw usage('Pass a time or --never')
    const zone = zoneOf(named)
    const times = time === undefined ? { applyAtMs: null, zone: null } : { applyAtMs: timeOf(time, 'TIME', zone), zone }
    const { client, where } = await findChange(context, id)
    const change = await client.manage.changes.reschedule({ ...times, id })
    if (out.isJson) return out.json({ id, state: change.state, applyAtMs: change.applyAtMs, zone: change.zone })
    out.note(`Scheduled ${id} of ${where}. ${nextText(change)}`)
  },
})
