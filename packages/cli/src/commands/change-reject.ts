import { command } from '../frame/command.ts'
import { usage } from '../frame/cli-error.ts'
import { review, type ReviewOptions } from '../frame/review.ts'

export const changeReject = command<ReviewOptions>({
  name: 'change reject',
  args: '<CHANGE>',
  summary: 'Ask for another version of a proposed change, which is not applied until it is edited or you approve it',
  completes: ['change', undefined],
  target: 'stage',
  options: [
    ['--comment <text>', 'what to change'],
    ['-y, --yes', 'skip the confirmation'],
  ],
  examples: [
    [
      'change reject chg_N3iXqTsLr2c1vB8eYzQa --comment "The limit is too high"',
      'its proposer edits it, or withdraws it',
    ],
  ],
  async run(context, [id = ''], options) {
    if (options.comment === undefined || options.comment.trim() === '')
      throw usage('--comment is missing (expected what to change)')
    await review(context, id, 'reject', options)
  },
})
