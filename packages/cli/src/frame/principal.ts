/** People, groups and service tokens, as commands accept and show them. */
import type { Place } from '@rollkey/contract/rules'
import type { Client, GroupMember, NamedPrincipal, Principal } from '@rollkey/sdk'
import { exit, CliError, usage } from './cli-error.ts'
import { hintOf } from './names.ts'
import { ifAllowed } from './people.ts'

const groupId = /^grp_[\w-]{20}$/

/** Parses an email, `group:NAME`, `token:NAME` or `user:ID`. The names can also be ids. */
export async function parsePrincipal(client: Client, text: string): Promise<Principal> {
  const [kind = '', ...rest] = text.split(':')
  const id = rest.join(':')
  if (kind === 'user' && id !== '') return { kind, id }
  // Who manages one project may not see the group, but grant to it by its id.
  if (kind === 'group' && id !== '') return { kind, id: groupId.test(id) ? id : (await findGroup(client, id)).id }
  if (kind === 'token' && id !== '')
    return { kind, id: found('service token', id, (await client.tokens.list()).tokens, 'rollkey token list').id }
  if (text.includes('@')) return { kind: 'email', id: text }
  const { members } = await ifAllowed(client.manage.organization.members(), { members: [] })
  const near = members.flatMap(({ email }) => (isCalled(email, text) ? [JSON.stringify(email)] : []))
  const hint = near.length > 0 && near.length <= 3 ? `. Did you mean ${near.join(', ')}?` : ''
  throw usage(`Unknown ${JSON.stringify(text)} (expected an email, group:NAME, token:NAME or user:ID)${hint}`)
}

/** Returns whether a word is how an email begins, up to the sign or a dot. */
function isCalled(email: string, word: string): boolean {
  const [name = ''] = email.toLowerCase().split('@')
  return word !== '' && [name, name.split('.', 1)[0]].includes(word.toLowerCase())
}

/** Returns a group by its name or id. Throws NOT_FOUND. */
export async function findGroup(client: Client, name: string) {
  return found('group', name, (await client.manage.groups.list()).groups, 'rollkey group list')
}

/** Adds people to a group or removes them, and returns its id and the people. */
export async function changeMembers(
  client: Client,
  change: 'add' | 'remove',
  name: string,
  people: readonly string[],
): Promise<{ readonly id: string; readonly members: readonly GroupMember[] }> {
  const { id } = await findGroup(client, name)
  const members = await Promise.all(
    people.map(async (text) => {
      const { kind, id: memberId } = await parsePrincipal(client, text)
      if (kind !== 'user' && kind !== 'email') throw usage(`${text} is not a person (expected an email or user:ID)`)
      return { kind, id: memberId }
    }),
  )
  await client.manage.groups.change({ id, [change]: members })
  return { id, members }
}

/** Returns the item with a name or an id. Throws NOT_FOUND if there is none, and USAGE if several have the name. */
function found<Item extends { readonly id: string; readonly name: string }>(
  what: string,
  name: string,
  items: readonly Item[],
  command: string,
): Item {
  const [first, ...more] = items.filter((each) => each.id === name || each.name === name)
  if (more.length > 0) throw usage(`Several have the name ${JSON.stringify(name)} (expected the id of one)`, command)
  if (first) return first
  const hint = hintOf(
    name,
    items.map((each) => each.name),
  )
  throw new CliError('NOT_FOUND', `The organization has no ${what} ${JSON.stringify(name)}.${hint}`, {
    status: exit.notFound,
    command,
  })
}

/** Returns a principal in a form that `parsePrincipal` accepts. */
export function principalText({ kind, id, name, email }: NamedPrincipal): string {
  if (kind === 'email') return id
  if (kind === 'user') return email ?? `user:${id}`
  return `${kind}:${name ?? id}`
}

/** Returns a place such as `shop/prod`, `shop/*` or `*`. */
export function placeText({ projectSlug, stageSlug }: Place): string {
  return projectSlug === undefined ? '*' : `${projectSlug}/${stageSlug ?? '*'}`
}
