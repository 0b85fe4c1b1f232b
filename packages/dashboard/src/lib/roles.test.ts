import { expect, it } from 'vitest'
import { mayManage, rolesToGive } from './roles.ts'

it('lets owners manage everyone, admins everyone but owners, members no one', () => {
  expect(mayManage('owner', 'owner')).toBe(true)
  expect(mayManage('admin', 'admin')).toBe(true)
  expect(mayManage('admin', 'owner')).toBe(false)
  expect(mayManage('member', 'member')).toBe(false)
})

it('lets no one give a role that they could not manage', () => {
  expect(rolesToGive('owner')).toEqual(['member', 'admin', 'owner'])
  expect(rolesToGive('admin')).toEqual(['member', 'admin'])
  expect(rolesToGive('member')).toEqual([])
})
