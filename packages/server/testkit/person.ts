/** A person at the embedded provider, who sends what a browser would send. */
import { answerOf, type Answer } from './client.ts'

let people = 0

export const goodPassword = 'correct horse battery'

/** Returns an IP address that no other person has. */
export function newAddress(): string {
  people++
  return `198.51.${Math.floor(people / 250)}.${people % 250}`
}

export class Person {
  readonly email: string
  readonly origin: string
  /** The address of the service, if not its public URL. */
  url: string
  /** A separate IP address for each person, so that tests do not share rate limits. */
  #address: string
  readonly #cookies = new Map<string, string>()

  constructor(url: string, email?: string) {
    this.origin = url
    this.url = url
    this.#address = newAddress()
    this.email = email ?? `person-${people}@example.com`
  }

  async #send(method: 'GET' | 'POST', path: string, body?: object, headers: object = {}): Promise<Answer> {
    const cookie = [...this.#cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const response = await fetch(`${this.url}/identity${path}`, {
      method,
      redirect: 'manual',
      headers: {
        origin: this.origin,
        'x-forwarded-for': this.#address,
        ...(cookie !== '' && { cookie }),
        ...(body && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body && { body: JSON.stringify(body) }),
    })
    for (const line of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
      if (/max-age=0/i.test(line)) this.#cookies.delete(name)
      else this.#cookies.set(name, value)
    }
    return answerOf(response)
  }

  /** Cookies by name. */
  get cookies(): [string, string][] {
    return [...this.#cookies]
  }

  get(path: string): Promise<Answer> {
    return this.#send('GET', path)
  }

  post(path: string, body: object = {}, headers: object = {}): Promise<Answer> {
    return this.#send('POST', path, body, headers)
  }

  /** Posts and throws unless the answer is 200. */
  async must(path: string, body: object = {}): Promise<Answer['body']> {
    const { status, text, body: answer } = await this.post(path, body)
    if (status !== 200) throw new Error(`${path}: ${status} ${text}`)
    return answer
  }

  /** Copies the cookies of another browser. */
  takeCookies({ cookies }: Person): void {
    for (const [name, value] of cookies) this.#cookies.set(name, value)
  }

  /** Switches to another IP address. */
  changeAddress(): void {
    this.#address = newAddress()
  }

  /** Returns the id of the account that is signed in. */
  async id(): Promise<string> {
    return ((await this.get('/get-session')).body.user as { id: string }).id
  }

  signIn(password = goodPassword): Promise<Answer> {
    return this.post('/sign-in/email', { email: this.email, password })
  }

  /** Returns a JWT of 60 seconds for the organization, or the active one. Throws if signed out or not a member. */
  async token(organizationSlug?: string): Promise<string> {
    const query = organizationSlug === undefined ? '' : `?${new URLSearchParams({ organizationSlug }).toString()}`
    const { status, body } = await this.get(`/token${query}`)
    if (status !== 200) throw new Error(`no token: ${status}`)
    return body.token as string
  }
}

/** Returns a named value from the fragment of a link. */
export function inLink(link: string | undefined, name: 'token' | 'id'): string {
  return new URLSearchParams(new URL(link ?? '').hash.slice(1)).get(name) ?? ''
}

/** Creates the first account, owner of a first organization. `at` is the service's address, if not its public URL. */
export async function setUp(
  app: { url: string; setupLink: string | undefined },
  slug = 'acme',
  at = app.url,
): Promise<Person> {
  const owner = new Person(app.url)
  owner.url = at
  await owner.must('/links/setup', {
    token: inLink(app.setupLink, 'token'),
    name: 'Ada',
    email: owner.email,
    password: goodPassword,
    organizationName: 'Acme Inc.',
    organizationSlug: slug,
  })
  return owner
}

/** Creates an invitation and returns its signed id. */
export async function invitation(by: Person, email: string, role = 'member'): Promise<string> {
  // Tests make more links than the rate limit of one IP address allows.
  by.changeAddress()
  const { id: invitationId } = (await by.must('/organization/invite-member', { email, role })) as { id: string }
  return inLink((await by.must('/links/invite', { invitationId })).url as string, 'id')
}

/** Creates an account that is a member of the active organization of `by`. */
export async function invite(by: Person, role = 'member', email?: string): Promise<Person> {
  const person = new Person(by.origin, email)
  person.url = by.url
  const id = await invitation(by, person.email, role)
  await person.must('/links/sign-up', { id, name: 'Grace', password: goodPassword })
  await person.must('/organization/accept-invitation', { invitationId: id })
  return person
}

export interface Member {
  readonly id: string
  readonly role: string
  readonly user: { readonly email: string }
}

/** Returns the members of the active organization of `by`. */
export async function membersOf(by: Person): Promise<readonly Member[]> {
  return ((await by.get('/organization/list-members')).body as { members: Member[] }).members
}

/** Returns an empty string if the person is not a member. */
export async function memberIdOf(by: Person, { email }: Person): Promise<string> {
  return (await membersOf(by)).find(({ user }) => user.email === email)?.id ?? ''
}

export function remove(by: Person, { email }: Person): Promise<Answer> {
  return by.post('/organization/remove-member', { memberIdOrEmail: email })
}

/** Creates a password reset link and returns its token. */
export async function resetToken(by: Person, whom: Person): Promise<string> {
  const { url } = await by.must('/links/reset', { memberId: await memberIdOf(by, whom) })
  return inLink(url as string, 'token')
}
