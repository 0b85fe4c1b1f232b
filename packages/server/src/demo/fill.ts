/** Fills an empty store through the service's API, with a clock that begins a month ago. */
import { noProgress, type Progress } from '../base/progress.ts'
import type { StoryClock } from './clock.ts'
import { DemoPerson } from './person.ts'
import { Scene, type Cast } from './scene.ts'
import { live } from './story.ts'

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
export async function fill(
  { url, setupLink, clock }: EmptyService,
  password: string,
  progress: Progress = noProgress,
): Promise<SignIn> {
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
    katherine: await join('Katherine Johnson', 'katherine@example.com', 'member'),
    margaret: await join('Margaret Hamilton', 'margaret@example.com', 'member'),
  }
  await ada.invite('dorothy@example.com', 'member')
  const people = Object.entries(cast).map(async ([name, person]) => [name, await (person as DemoPerson).id()])
  const ids = Object.fromEntries(await Promise.all(people)) as Record<keyof Cast, string>
  await live(new Scene({ url, orgSlug, clock, cast, ids }), progress)
  await cast.grace.logIn('rollkey on grace-laptop')
  return { email: ada.email, password }
}
