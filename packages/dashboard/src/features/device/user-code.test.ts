import { describe, expect, it } from 'vitest'
import { normalUserCode, shownUserCode } from './user-code.ts'

describe('normalUserCode', () => {
  it.each(['ABCD2345', 'abcd-2345', ' ab cd 23 45 ', 'ABCD–2345', 'abcd\u00A02345', 'ABCD\u20112345'])(
    'reads %j',
    (typed) => {
      expect(normalUserCode(typed)).toBe('ABCD2345')
    },
  )

  it.each(['', 'ABCD234', 'ABCD23456', 'ABCD_2345', 'ÄBCD2345', 'ABCD2345;'])('refuses %j', (typed) => {
    expect(normalUserCode(typed)).toBeUndefined()
  })
})

describe('shownUserCode', () => {
  it('parts the code in the middle', () => {
    expect(shownUserCode('ABCD2345')).toBe('ABCD-2345')
  })
})
