import { temporaryShared, temporaryStore } from '../storage/temporary.ts'
import { outboxSuite } from './outbox.suite.ts'

outboxSuite('SQLite', temporaryStore)
outboxSuite('PostgreSQL', temporaryShared)
