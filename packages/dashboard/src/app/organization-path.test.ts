import { describe, expect, it } from 'vitest'
import { addressIn, isOlderPath, movedAddress } from './organization-path.ts'

describe('an address that names no organization', () => {
  it.each([
    ['/', '/o/acme'],
    ['/?from=mail#top', '/o/acme?from=mail#top'],
    ['/projects', '/o/acme/projects'],
    ['/projects/shop', '/o/acme/p/shop'],
    ['/projects/shop/roll?stage=prod&name=A', '/o/acme/p/shop/roll?stage=prod&name=A'],
    ['/organization/audit?actor=me', '/o/acme/organization/audit?actor=me'],
    ['/usage', '/o/acme/usage'],
    ['/account', '/o/acme/account'],
  ])('%s stands for %s', (older, address) => {
    expect(addressIn('acme', older)).toBe(address)
    expect(isOlderPath(older.replace(/[?#].*/, ''))).toBe(true)
  })

  it('keeps a slug that an external provider made of other characters', () => {
    expect(addressIn('a/b c', '/usage')).toBe('/o/a%2Fb%20c/usage')
  })

  it.each(['/o/acme', '/organizations', '/accounts', '/device', '/nowhere', '/usage/more'])('is not %s', (path) => {
    expect(isOlderPath(path)).toBe(false)
  })
})

describe('an address below organization', () => {
  it.each([
    ['/o/acme/organization', '/o/acme/members'],
    ['/o/acme/organization/', '/o/acme/members'],
    ['/o/acme/organization/members', '/o/acme/members'],
    ['/o/acme/organization/tokens', '/o/acme/settings/tokens'],
    ['/o/acme/organization/sessions#top', '/o/acme/settings/sessions#top'],
    ['/o/acme/organization/audit?actor=me', '/o/acme/audit?actor=me'],
    ['/o/acme/organization/evaluations', '/o/acme/usage/callers'],
    ['/o/a%2Fb/organization/settings', '/o/a%2Fb/settings'],
  ])('%s moved to %s', (before, now) => {
    expect(movedAddress(before)).toBe(now)
  })

  it.each(['/o/acme/organization/nowhere', '/o/acme/members', '/o/acme/organizations'])(
    '%s did not move',
    (address) => {
      expect(movedAddress(address)).toBeUndefined()
    },
  )
})
