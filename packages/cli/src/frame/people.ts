/** What people and machines are called, if the caller may know it. */
import { RollkeyError, type Client } from '@rollkey/sdk'
import type { Output } from './output.ts'

interface Named {
  readonly id: string
  readonly name: string
  readonly email?: string | undefined
}

/** Names of people, service tokens and trusts by their ids. */
export class People {
  readonly #self: string | undefined
  readonly #named: ReadonlyMap<string, Named>
  readonly #isTerminal: boolean

  constructor(self: string | undefined, named: readonly Named[], { isTerminal }: Output) {
    this.#self = self
    this.#named = new Map(named.map((each) => [each.id, each]))
    this.#isTerminal = isTerminal
  }

  /** Returns what an id stands for: a name on a terminal, and in a pipe an email, which does not depend on what people call themselves. */
  nameOf(id: string): string | undefined {
    if (id === this.#self) return 'you'
    const named = this.#named.get(id)
    return this.#isTerminal ? named?.name : (named?.email ?? named?.name)
  }

  /** Returns who did something: a name, or an id if no name is known. */
  textOf(id: string): string {
    return this.nameOf(id) ?? `user:${id}`
  }

  /** Returns the id of the person with an email. */
  idOf(email: string): string | undefined {
    return [...this.#named.values()].find((each) => each.email?.toLowerCase() === email.toLowerCase())?.id
  }
}

/** Reads the names of the members and, where the caller may see them, of machines. A machine knows only machines. */
export async function peopleOf(client: Client, out: Output): Promise<People> {
  const [{ idpUserId, name, email }, { members }, { tokens }, { trusts }] = await Promise.all([
    client.whoami(),
    ifAllowed(client.manage.organization.members(), { members: [] }),
    ifAllowed(client.tokens.list(), { tokens: [] }),
    ifAllowed(client.manage.trusts.list(), { trusts: [] }),
  ])
  const self = idpUserId === undefined ? [] : [{ id: idpUserId, name: name ?? idpUserId, email }]
  const machines = [
    ...tokens.map((token) => ({ id: token.id, name: `token:${token.name}` })),
    ...trusts.map((trust) => ({ id: trust.id, name: `trust:${trust.name}` })),
  ]
  return new People(idpUserId, [...members, ...self, ...machines], out)
}

/** Returns the answer, or `otherwise` if the caller may not have it. */
export async function ifAllowed<Answer, Otherwise>(
  asked: Promise<Answer>,
  otherwise: Otherwise,
): Promise<Answer | Otherwise> {
  try {
    return await asked
  } catch (error) {
    if (error instanceof RollkeyError && error.code === 'FORBIDDEN') return otherwise
    throw error
  }
}
