/** Saves a session. The argument is its JSON. */
import { openCredentials, type Session } from '../../../src/node/index.ts'

await openCredentials().save(JSON.parse(process.argv[2] ?? '') as Session)
