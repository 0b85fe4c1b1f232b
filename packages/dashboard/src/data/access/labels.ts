/** Texts about access that several features show. */
import { list } from '../../lib/list.ts'

/** Lists verbs for a sentence, such as "list and read". */
export function verbsText(verbs: readonly string[]): string {
  return verbs.length === 0 ? 'nothing' : list.format(verbs)
}

export const labels = {
  organization: 'Whole organization',
  accessOf: (who: string) => `Access of ${who}`,
  withoutRole: (verbs: readonly string[]) => (verbs.length === 0 ? 'none' : `only ${list.format(verbs)}`),
  more: (verbs: readonly string[]) => `may also ${list.format(verbs)}`,
  /** What the default role gives every member. */
  defaultRoles: {
    developer: 'Every member reads and changes all variables, except where a stage is protected.',
    viewer: 'Every member sees which variables there are, without their values.',
    none: 'Members see only the projects and stages on which something is granted to them or their groups.',
  },
} as const
