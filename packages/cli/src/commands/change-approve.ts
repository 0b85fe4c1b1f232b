import { command } from '../frame/command.ts'
import { review, type ReviewOptions } from '../frame/review.ts'

export const changeApprove = command<ReviewOptions>({
  name: 'change approve',
  args: '<CHANGE>',
  summary: 'Approve a proposed change, exactly as it is now',
  completes: ['change', undefined],
  target: 'stage',
  options: [
    ['--comment <text>', 'what others read beside it'],
    ['-y, --yes', 'skip the confirmation'],
  ],
  examples: [
    ['change approve chg_N3iXqTsLr2c1vB8eYzQa', 'shows it and asks; an edit voids the approval'],
    ['change approve chg_N3iXqTsLr2c1vB8eYzQa --comment "Tested in staging" --yes', 'without a question'],
  ],
  run: (context, [id = ''], options) => review(context, id, 'approve', options),
})
