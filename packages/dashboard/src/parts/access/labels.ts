/** Texts for those who lack a verb. */
import type { Verb } from '@rollkey/contract/rules'

const anyOf = new Intl.ListFormat('en', { type: 'disjunction' })

export const labels = {
  copyRequest: 'Copy a request',
  copied: 'Copied',
  /** What those who are asked receive. */
  request: (doing: string, place: string, link: string) => `I need to ${doing} in ${place}. Grant it here: ${link}`,
  missing: {
    title: (what: string) => `You don’t have permission to ${what}`,
    text: (verb: Verb, place: string) => `You need ${verb} access to ${place}.`,
    somewhere: 'the organization, a project or a stage',
    youManage: 'You manage access there:',
    grant: 'grant yourself a role',
    ask: (managers: readonly string[]) =>
      managers.length === 0
        ? 'Ask an owner or admin of the organization.'
        : `Ask ${anyOf.format(managers)}, who can grant it to you.`,
  },
} as const
