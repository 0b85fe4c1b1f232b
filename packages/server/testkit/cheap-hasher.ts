/** A password hasher for tests of other features: correct for each password, and as fast as possible. */
import { createHmac, randomBytes } from 'node:crypto'
import type { PasswordHasher } from '../src/identity/password-hasher.ts'

function keyOf(password: string, salt: string): string {
  return createHmac('sha256', salt).update(password.normalize('NFKC')).digest('hex')
}

export const cheapHasher: PasswordHasher = {
  async hash(password) {
    const salt = randomBytes(16).toString('hex')
    return `${salt}:${keyOf(password, salt)}`
  },
  async verify({ hash, password }) {
    const [salt = '', key] = hash.split(':')
    return keyOf(password, salt) === key
  },
  async close() {},
}
