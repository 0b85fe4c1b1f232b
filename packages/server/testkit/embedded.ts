import { launchTestApp, type AppOptions, type TestApp } from './app.ts'
import { useFixture } from './fixture.ts'
import { setUp, type Person } from './person.ts'

/** The service with the embedded identity provider. */
export interface EmbeddedApp extends TestApp {
  /** Person who set it up, the owner of the organization `acme`. */
  readonly owner: Person
}

export async function launchEmbeddedApp(
  settings: Record<string, string> = {},
  options: AppOptions = {},
): Promise<EmbeddedApp> {
  const app = await launchTestApp(settings, options)
  return { ...app, owner: await setUp(app) }
}

/** Returns a service that runs during all tests of the file or the `describe` block. */
export function useEmbeddedApp(settings?: Record<string, string>, options?: AppOptions): EmbeddedApp {
  return useFixture(() => launchEmbeddedApp(settings, options))
}
