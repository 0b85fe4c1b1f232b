/** Texts about proposed changes, wherever they are proposed. */
import { list } from '../../lib/list.ts'
import { countText } from '../../lib/numbers.ts'

function namesText(names: readonly string[], count: number): string {
  return count > names.length || count > 3 ? `${countText(count)} variables` : list.format(names)
}

export const labels = {
  names: namesText,
  withdrawn: (names: string) => `Withdrew the change of ${names}`,
  proposed: (names: string, stages: readonly string[]) => `Proposed the change of ${names} in ${list.format(stages)}`,
  showChange: 'Show the change',
} as const
