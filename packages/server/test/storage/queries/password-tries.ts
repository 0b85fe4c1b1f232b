import { describe, expect, test } from 'vitest'
import type { OpenSql } from '../sql.suite.ts'
import { platform, nowMs, winnersOf } from './ground.ts'
import type { Queries } from './modules.ts'

export function passwordTryQueries(name: string, queries: Queries, open: OpenSql): void {
  const tries = queries['password-tries']

  describe(`${name}: tries of passwords`, () => {
    test('are counted by account until one succeeds', async () => {
      const { sql } = await platform(queries, open)
      const count = (account: string) => sql.tx((tx) => tries.countPasswordTry(tx, account, nowMs))
      expect([await count('a'), await count('a'), await count('b')]).toEqual([1, 2, 1])
      await sql.tx((tx) => tries.deletePasswordTries(tx, 'a'))
      expect([await count('a'), await count('b')]).toEqual([1, 2])
    })

    test('are refused before the time that the last one set, also when many arrive at once', async () => {
      const { sql } = await platform(queries, open)
      const taken = await winnersOf(sql, async (tx) => {
        const count = await tries.countPasswordTry(tx, 'a', nowMs)
        if (count === 3) await tries.closePasswordTries(tx, 'a', nowMs + 1_000)
        return count
      })
      expect(taken).toHaveLength(3)
      expect(await tries.passwordTriesOpenAt(sql, 'a')).toBe(nowMs + 1_000)
      expect(await tries.passwordTriesOpenAt(sql, 'b')).toBeUndefined()
      expect(await sql.tx((tx) => tries.countPasswordTry(tx, 'a', nowMs + 999))).toBeUndefined()
      expect(await sql.tx((tx) => tries.countPasswordTry(tx, 'a', nowMs + 1_000))).toBe(4)
    })

    test('are deleted some time after the last one', async () => {
      const { sql } = await platform(queries, open)
      await sql.tx((tx) => tries.countPasswordTry(tx, 'a', nowMs))
      await sql.tx((tx) => tries.countPasswordTry(tx, 'b', nowMs + 1))
      await sql.tx((tx) => tries.deletePasswordTriesBefore(tx, nowMs + 1))
      expect(await sql.all('select account from password_tries')).toMatchObject([{ account: 'b' }])
    })
  })
}
