/** `npm run dev:seed`: fills the store of `npm run dev` once, and prints how to sign in. */
import { developmentStore } from './dev-store.ts'
import { seed } from './seed/seed.ts'

process.umask(0o077) // only the owner can read the store

// With one of these settings, `npm run dev` uses another store, which may contain real data.
const other = ['ROLLKEY_DATA_DIR', 'ROLLKEY_DATABASE_URL'].find((name) => process.env[name] !== undefined)

try {
  if (other) throw new Error(`${other} is set (expected only the store in ${developmentStore}): unset it.`)
  const { email, password } = await seed(developmentStore)
  console.log(`Start npm run dev, and sign in as ${email} with the password ${password}`)
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
}
