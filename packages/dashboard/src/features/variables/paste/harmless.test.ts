import { expect, it } from 'vitest'
import { looksHarmless } from './harmless.ts'

it.each([
  ['PAGE_SIZE', '20', 'int64'],
  ['SEARCH_ON', 'true', 'boolean'],
  ['RATIO', '0.5', 'float'],
  ['LAUNCH', '2027-01-31', 'date'],
  ['KEYBOARD_ROWS', '5', 'int64'],
  ['LIMITS', '{"free":[1,2],"plan":"team"}', 'json'],
] as const)('sees no secret in %s=%s', (name, value, type) => {
  expect(looksHarmless(name, value, type)).toBe(true)
})

it.each([
  ['NAME', 'shop', ''],
  ['NAME', 'shop', 'string'],
  ['DB_PASSWORD', '12345', 'int64'],
  ['ACCESS_CODE', '123456', 'int64'],
  ['apiKey', '12345', 'int64'],
  ['SIGNING_KEY2', '12345', 'int64'],
  ['pin', '1234', 'int64'],
  ['CONFIG', '{"clientSecret":"abc"}', 'json'],
  ['CONFIG', '{"id":"abcd1234abcd1234"}', 'json'],
  ['CONFIG', '{"url":"https://a:b@example.com"}', 'json'],
] as const)('offers not to show %s=%s', (name, value, type) => {
  expect(looksHarmless(name, value, type)).toBe(false)
})
