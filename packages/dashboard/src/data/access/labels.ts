/** Texts about access that several features show. */
import { type BuiltInRole, type Verb, verbs as allVerbs } from '@rollkey/contract/rules'
import { list } from '../../lib/list.ts'

/** Lists verbs for a sentence, such as "list and read". */
export function verbsText(verbs: readonly string[]): string {
  return verbs.length === 0 ? 'nothing' : list.format(verbs)
}

const doings: Readonly<Record<Verb, string>> = {
  list: 'see names',
  read: 'read values',
  write: 'change variables',
  approve: 'approve changes',
  manage: 'manage access',
}

/** Says what someone with the verbs may do, for a sentence such as "They may see names and read values". */
export function mayText(verbs: readonly Verb[]): string {
  if (verbs.length === 1 && verbs[0] === 'list') return `${doings.list}, but no values`
  return verbs.length === 0
    ? 'nothing'
    : list.format(allVerbs.filter((verb) => verbs.includes(verb)).map((verb) => doings[verb]))
}

const roleTexts: Readonly<Record<BuiltInRole, string>> = {
  viewer: 'Sees which variables there are, without their values.',
  reader: 'Reads values, and changes nothing.',
  developer: 'Reads and changes variables, and creates projects and stages within its scope.',
  releaser: 'Does what a developer does, and approves changes.',
  maintainer: 'Does what a releaser does, and decides who has access.',
}

/** Returns what a role is for; of a custom role, what it allows. */
export function roleText({ name, verbs }: { readonly name: string; readonly verbs: readonly Verb[] }): string {
  return new Map<string, string>(Object.entries(roleTexts)).get(name) ?? `Allows to ${verbsText(verbs)}.`
}

export const labels = {
  organization: 'Whole organization',
  accessOf: (who: string) => `Access of ${who}`,
  withoutRole: (verbs: readonly string[]) => (verbs.length === 0 ? 'no access' : `only ${list.format(verbs)}`),
  more: (verbs: readonly string[]) => `may also ${list.format(verbs)}`,
  /** What the default role gives every member. */
  defaultRoles: {
    developer: 'Every member reads and changes all variables, except where a stage is protected.',
    viewer: 'Every member sees which variables there are, without their values.',
    none: 'Members see only the projects and stages on which something is granted to them or their groups.',
  },
} as const
