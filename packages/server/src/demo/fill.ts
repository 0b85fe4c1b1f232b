/** Fills an empty store through the service's API, with a clock that starts a month ago. */
import type { StoryClock } from './clock.ts'
import { DemoPerson } from './person.ts'
import { live, type Cast } from './story.ts'

const dayMs = 24 * 3_600_000
const orgSlug = 'acme'

export interface SignIn {
  readonly email: string
  readonly password: string
}

/** A running service whose clock is `clock`, without accounts. */
interface EmptyService {
  /** Its public URL. */
  readonly url: string
  readonly setupLink: string
  readonly clock: StoryClock
}

/** Creates an organization with members, projects and a month of changes and traffic. Returns how its owner signs in. */
export async function fill({ url, setupLink, clock }: EmptyService, password: string): Promise<SignIn> {
  const startMs = clock.now()
  const ada = new DemoPerson(url, 'ada@example.com')
  await ada.post('/links/setup', {
    token: new URLSearchParams(new URL(setupLink).hash.slice(1)).get('token'),
    name: 'Ada Lovelace',
    email: ada.email,
    password,
    organizationName: 'Acme Inc.',
    organizationSlug: orgSlug,
  })
  const join = async (name: string, email: string, role: string): Promise<DemoPerson> => {
    const person = new DemoPerson(url, email)
    const id = await ada.invite(email, role)
    await person.post('/links/sign-up', { id, name, password })
    await person.post('/organization/accept-invitation', { invitationId: id })
    return person
  }
  const cast: Cast = {
    ada,
    grace: await join('Grace Hopper', 'grace@example.com', 'admin'),
    alan: await join('Alan Turing', 'alan@example.com', 'member'),
  }
  await ada.invite('katherine@example.com', 'member')
  await live(cast, orgSlug, (day, hour) => clock.set(startMs + day * dayMs + hour * 3_600_000))
  return { email: ada.email, password }
}
